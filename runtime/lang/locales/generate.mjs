// Writes one JSON file of locale data per locale, taken from the ICU of the Node that runs
// it: node generate.mjs. The data is of the Unicode CLDR (https://www.unicode.org/license.txt).
// Patterns are found by formatting samples and looking at the parts; locale.go says what
// the members mean.
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const locales = process.argv.length > 2 ? process.argv.slice(2) : `
en-US en-GB en-CA en-AU en-NZ en-IE en-IN en-ZA en-SG de-DE de-AT de-CH fr-FR fr-CA fr-CH fr-BE es-ES es-MX es-AR es-US
it-IT it-CH pt-BR pt-PT nl-NL nl-BE sv-SE da-DK nb-NO fi-FI pl-PL cs-CZ sk-SK hu-HU ro-RO bg-BG hr-HR tr-TR ru-RU uk-UA
el-GR ja-JP zh-CN zh-TW zh-HK ko-KR id-ID vi-VN hi-IN`.trim().split(/\s+/);

// A pool stores each distinct value once.
class Pool {
  constructor() { this.list = []; this.index = new Map(); }
  add(value) {
    const key = JSON.stringify(value);
    if (!this.index.has(key)) { this.index.set(key, this.list.length); this.list.push(value); }
    return this.index.get(key);
  }
}

const base = Date.UTC(2024, 2, 5, 7, 8, 9); // a Tuesday; every field has one digit
const range = n => Array.from({ length: n }, (_, i) => i);

function dates(locale) {
  const months = new Pool(), weekdays = new Pool(), periods = new Pool(), patterns = new Pool();
  const numeric = v => /^\d+$/.test(v);
  // pattern turns what a formatter writes for the base into text with {field}s.
  const pattern = format => {
    const parts = format.formatToParts(base);
    const texts = (type, times) => times.map(t => format.formatToParts(t).find(p => p.type === type)?.value ?? "");
    return parts.map(({ type, value }) => {
      switch (type) {
        case "literal": return value; // holds no braces in any locale
        case "year": return value.length === 2 ? "{yy}" : "{y}";
        case "month":
          if (numeric(value)) return value.length === 2 ? "{nn}" : "{n}";
          return `{M${months.add(texts("month", range(12).map(m => Date.UTC(2024, m, 5, 7, 8, 9))))}}`;
        case "day": return value.length === 2 ? "{dd}" : "{d}";
        case "weekday": return `{W${weekdays.add(texts("weekday", range(7).map(d => Date.UTC(2024, 2, 3 + d, 7, 8, 9))))}}`;
        case "hour": return value.length === 2 ? "{hh}" : "{h}";
        case "minute": return value.length === 2 ? "{ii}" : "{i}";
        case "second": return value.length === 2 ? "{ss}" : "{s}";
        case "fractionalSecond": return "{S}";
        case "dayPeriod": return `{a${periods.add(texts("dayPeriod", range(24).map(h => Date.UTC(2024, 2, 5, h, 8, 9))))}}`;
        case "timeZoneName": return "{z}";
        case "era": return `{G${value}}`;
        default: throw new Error(`${locale}: part ${type}`);
      }
    }).join("");
  };
  const of = options => new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options });
  const clean = options => Object.fromEntries(Object.entries(options).filter(([, v]) => v !== undefined));
  const W = { "-": undefined, s: "short", l: "long", w: "narrow" };
  const N = { "-": undefined, n: "numeric", 2: "2-digit" };
  const M = { "-": undefined, n: "numeric", 2: "2-digit", s: "short", l: "long", w: "narrow" };

  const date = {}, time = {}, glue = {}, styles = {};
  for (const w in W) for (const y in N) for (const m in M) for (const d in N) {
    const key = w + y + m + d;
    if (key === "----") continue;
    date[key] = patterns.add(pattern(of(clean({ weekday: W[w], year: N[y], month: M[m], day: N[d] }))));
  }
  const cycles = { t: "h12", f: "h23" };
  for (const c in cycles) for (const h in N) for (const i in N) for (const s in N) for (const z of ["-", "z"]) {
    const key = h + i + s + z + c;
    if (h + i + s + z === "----" || (h === "-" && c === "t")) continue;
    time[key] = patterns.add(pattern(of(clean({ hour: N[h], minute: N[i], second: N[s], hourCycle: h === "-" ? undefined : cycles[c], timeZoneName: z === "z" ? "short" : undefined }))));
  }
  // A zone alone makes ICU add the date; take it off again.
  glue.zone = patterns.add(patterns.list[time["---zf"]].replace(patterns.list[date["-nnn"]], "{0}").replace("{z}", "{1}"));
  time["---zf"] = patterns.add("{z}");
  // How a date and a time stand together, by the date's skeleton: {0} is the date, {1} the time.
  const timeOnly = patterns.list[time["n2--f"]];
  for (const key in date) {
    const [w, y, m, d] = key;
    const both = pattern(of(clean({ weekday: W[w], year: N[y], month: M[m], day: N[d], hour: "numeric", minute: "2-digit", hourCycle: "h23" })));
    const alone = patterns.list[date[key]];
    const t = both.indexOf(timeOnly);
    if (t < 0) { glue[key] = patterns.add(null); continue; }
    let rest = both.slice(0, t) + "{1}" + both.slice(t + timeOnly.length);
    const at = rest.indexOf(alone);
    if (at >= 0) glue[key] = patterns.add(rest.slice(0, at) + "{0}" + rest.slice(at + alone.length));
    else glue[key] = patterns.add({ both: rest }); // the date itself is written otherwise beside a time
  }
  // A weekday alone beside a time has patterns of its own.
  const weekday = {};
  for (const w of ["s", "l", "w"]) for (const h of ["n", "2"]) for (const rest of ["--", "n-", "2-", "nn", "n2", "2n", "22"]) for (const z of ["-", "z"]) for (const c in cycles) {
    weekday[w + h + rest + z + c] = patterns.add(pattern(of(clean({ weekday: W[w], hour: N[h], minute: N[rest[0]], second: N[rest[1]], timeZoneName: z === "z" ? "short" : undefined, hourCycle: cycles[c] }))));
  }
  const S = { "-": undefined, f: "full", l: "long", m: "medium", s: "short" };
  for (const d in S) for (const t in S) for (const c in cycles) {
    if (d === "-" && t === "-" || t === "-" && c === "t") continue;
    styles[d + t + c] = patterns.add(pattern(of(clean({ dateStyle: S[d], timeStyle: S[t], hourCycle: t === "-" ? undefined : cycles[c] }))));
  }
  const fraction = of({ second: "numeric", fractionalSecondDigits: 3 }).formatToParts(base);
  const resolved = of({ hour: "numeric" }).resolvedOptions();
  return {
    hour12: resolved.hour12, fraction: fraction.find(p => p.type === "literal").value,
    months: months.list, weekdays: weekdays.list, periods: periods.list, patterns: patterns.list, date, time, glue, weekday, styles, zones: zones(locale),
  };
}

const zoneNames = `UTC America/New_York America/Chicago America/Denver America/Phoenix America/Los_Angeles America/Anchorage Pacific/Honolulu
America/Halifax America/St_Johns America/Toronto America/Vancouver America/Mexico_City America/Sao_Paulo America/Argentina/Buenos_Aires
America/Bogota America/Lima America/Santiago Europe/London Europe/Dublin Europe/Lisbon Europe/Paris Europe/Berlin Europe/Madrid Europe/Rome
Europe/Amsterdam Europe/Brussels Europe/Vienna Europe/Zurich Europe/Luxembourg Europe/Stockholm Europe/Oslo Europe/Copenhagen Europe/Helsinki
Europe/Warsaw Europe/Prague Europe/Bratislava Europe/Budapest Europe/Zagreb Europe/Belgrade Europe/Athens Europe/Bucharest Europe/Sofia
Europe/Istanbul Europe/Kyiv Europe/Moscow Asia/Jerusalem Asia/Dubai Asia/Riyadh Asia/Tehran Asia/Karachi Asia/Kolkata Asia/Dhaka Asia/Bangkok
Asia/Jakarta Asia/Ho_Chi_Minh Asia/Singapore Asia/Kuala_Lumpur Asia/Hong_Kong Asia/Shanghai Asia/Taipei Asia/Manila Asia/Tokyo Asia/Seoul
Australia/Perth Australia/Adelaide Australia/Brisbane Australia/Sydney Australia/Melbourne Pacific/Auckland Africa/Cairo Africa/Johannesburg
Africa/Lagos Africa/Nairobi`.trim().split(/\s+/);

// Zones have names for standard and daylight time, long and short; equal sets are shared.
function zones(locale) {
  const sets = new Pool(), of = {};
  const name = (zone, style, month) => new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: style, hour: "numeric" })
    .formatToParts(Date.UTC(2024, month, 15)).find(p => p.type === "timeZoneName").value;
  const offset = (zone, month) => Number(new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset", hour: "numeric" })
    .formatToParts(Date.UTC(2024, month, 15)).find(p => p.type === "timeZoneName").value.replace(/GMT|:/g, "") || 0);
  for (const zone of zoneNames) {
    const standard = offset(zone, 0) <= offset(zone, 6) ? 0 : 6, daylight = 6 - standard;
    // Dublin's standard time is its summer time in the tz database; Go says so as well.
    of[zone] = sets.add(["short", "long"].flatMap(style => [name(zone, style, standard), name(zone, style, daylight)]));
  }
  const offsets = zone => ["shortOffset", "longOffset"].map(style => new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: style, hour: "numeric" })
    .formatToParts(base).find(p => p.type === "timeZoneName").value);
  return { sets: sets.list, of, ahead: offsets("Etc/GMT-3"), behind: offsets("Etc/GMT+3"), zero: offsets("UTC") };
}

const plural = locale => {
  const rules = new Intl.PluralRules(locale);
  // One sample of each category, for which the rules are then asked.
  const samples = {};
  for (const n of [...range(1001), 1e6, 2e6, 1.5, 0.5, 2.5, 10.5]) samples[rules.select(n)] ??= n;
  return samples;
};

function numbers(locale) {
  const of = (options = {}) => new Intl.NumberFormat(locale, options);
  const part = (format, value, type) => format.formatToParts(value).find(p => p.type === type)?.value;
  const number = new Set(["integer", "group", "decimal", "fraction", "compact", "nan", "infinity"]);
  // affixes gives a format's pattern: {0} is the number, the rest as written, with signs as - and +.
  const shape = (format, value, marks = {}) => {
    let text = "", inNumber = false;
    for (const { type, value: v } of format.formatToParts(value)) {
      if (["integer", "group", "decimal", "fraction", "nan", "infinity"].includes(type)) { if (!inNumber) text += "{0}"; inNumber = true; continue; }
      inNumber = false;
      if (type === "minusSign") text += "{-}";
      else if (type === "plusSign") text += "{+}";
      else if (type === "percentSign") text += "{%}";
      else if (type in marks) text += marks[type];
      else text += v;
    }
    return text;
  };
  const symbols = {
    decimal: part(of({ minimumFractionDigits: 1 }), 1, "decimal"),
    group: part(of(), 1234567, "group"),
    minus: part(of(), -1, "minusSign"), plus: part(of({ signDisplay: "always" }), 1, "plusSign"),
    percent: part(of({ style: "percent" }), 1, "percentSign"),
    nan: of().format(NaN), infinity: part(of(), Infinity, "infinity"),
    exponent: part(of({ notation: "scientific" }), 1, "exponentSeparator"),
    minGroup: of().format(1234).length > 4 ? 1 : 2,
    secondary: of({ useGrouping: "always" }).formatToParts(1e8).filter(p => p.type === "integer").map(p => p.value.length).at(1) ?? 3,
  };
  const currencyGroup = part(of({ style: "currency", currency: "USD" }), 1234567, "group");
  if (currencyGroup !== symbols.group) symbols.currencyGroup = currencyGroup;
  const currencyDecimal = part(of({ style: "currency", currency: "USD" }), 1.5, "decimal");
  if (currencyDecimal !== symbols.decimal) symbols.currencyDecimal = currencyDecimal;

  // In some locales accounting groups otherwise.
  const accountingGroups = of({ style: "currency", currency: "USD", currencySign: "accounting", useGrouping: "always" }).formatToParts(1e8).filter(p => p.type === "integer").map(p => p.value.length).at(1) ?? 3;
  if (accountingGroups !== symbols.secondary) symbols.accountingSecondary = accountingGroups;

  const signed = options => {
    const f = of(options), always = of({ ...options, signDisplay: "always" });
    const marks = { currency: "{c}" };
    return [shape(f, 1, marks), shape(f, -1, marks), shape(always, 1, marks)];
  };
  // The same of 1M: the number and its word together are {0}.
  const signedCompact = currencyDisplay => [[1e6, "auto"], [-1e6, "auto"], [1e6, "always"]].map(([value, signDisplay]) => {
    const parts = of({ style: "currency", currency: "USD", currencyDisplay, notation: "compact", signDisplay }).formatToParts(value);
    const inside = parts.map(p => number.has(p.type)), first = inside.indexOf(true), last = inside.lastIndexOf(true);
    return parts.map(({ type, value: v }, i) => {
      if (i >= first && i <= last) return i === first ? "{0}" : "";
      return { minusSign: "{-}", plusSign: "{+}", currency: "{c}" }[type] ?? v;
    }).join("");
  });
  const currencies = {};
  for (const currency of Intl.supportedValuesOf("currency")) {
    const s = part(of({ style: "currency", currency }), 1, "currency"), n = part(of({ style: "currency", currency, currencyDisplay: "narrowSymbol" }), 1, "currency");
    if (s !== currency || n !== currency) currencies[currency] = n === s ? s : [s, n];
  }
  const samples = plural(locale), rules = new Intl.PluralRules(locale);
  const byPlural = make => {
    const forms = {};
    for (const category in samples) { const form = make(samples[category]); if (form !== null) forms[category] = form; }
    const other = forms.other ??= Object.values(forms)[0];
    return Object.values(forms).every(f => f === other) ? other : forms;
  };
  const names = {};
  for (const currency of `USD EUR GBP JPY CNY INR CAD AUD NZD CHF SEK NOK DKK PLN CZK HUF RON BGN TRY RUB UAH ILS AED SAR ZAR EGP BRL MXN
ARS CLP COP PEN KRW TWD HKD SGD THB IDR MYR PHP VND`.split(/\s+/)) {
    names[currency] = byPlural(n => shape(of({ style: "currency", currency, currencyDisplay: "name", minimumFractionDigits: 0 }), n));
  }
  const compact = {};
  for (const display of ["short", "long"]) {
    compact[display] = range(15).map(power => {
      if (power < 3) return null;
      // How many integer digits stay: 2 × 10^power written compactly, without its word.
      const f = of({ notation: "compact", compactDisplay: display, maximumFractionDigits: 0, useGrouping: false });
      const digits = f.formatToParts(2 * 10 ** power).filter(p => p.type === "integer").map(p => p.value).join("").length;
      const unit = 10 ** (power - digits + 1);
      const forms = byPlural(n => {
        // The category depends on the digits shown: 1 million, 2 million, 1.5 million.
        for (const k of [1, 2, 3, 4, 5, 1.5, 2.5, 20, 21, 22, 25, 10, 11, 100, 101, 200, 500, 1000, 2000, 5000, 1100, 10000, 20000]) {
          if (String(Math.trunc(k)).length !== digits || rules.select(k) !== rules.select(n)) continue;
          const text = shape(f2(display), k * unit);
          if (text.includes("{0}")) return text;
        }
        return null;
      });
      // A word that stands for one of it alone, as the French mille.
      const alone = shape(f2(display), 10 ** power);
      if (alone.includes("{0}")) return [digits, forms];
      return [digits, typeof forms === "string" ? { other: forms, "=1": alone } : { ...forms, "=1": alone }];
    });
  }
  function f2(display) { return of({ notation: "compact", compactDisplay: display, maximumFractionDigits: 1 }); }

  const units = {};
  for (const unit of `acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch kilobit
kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile milliliter millimeter millisecond minute month nanosecond ounce percent petabyte pound
second stone terabit terabyte week yard year kilometer-per-hour mile-per-hour meter-per-second liter-per-kilometer mile-per-gallon megabyte-per-second megabit-per-second`.split(/\s+/)) {
    units[unit] = ["short", "long", "narrow"].map(unitDisplay => byPlural(n => shape(of({ style: "unit", unit, unitDisplay }), n)));
  }
  return {
    symbols,
    percent: signed({ style: "percent" }),
    currency: signed({ style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" }),
    accounting: signed({ style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", currencySign: "accounting" }),
    currencyCode: signed({ style: "currency", currency: "USD", currencyDisplay: "code" }),
    accountingCode: signed({ style: "currency", currency: "USD", currencyDisplay: "code", currencySign: "accounting" }),
    currencyCompact: signedCompact("narrowSymbol"), currencyCompactCode: signedCompact("code"),
    currencies, names, compact, units,
  };
}

function lists(locale) {
  const out = {};
  for (const type of ["conjunction", "disjunction", "unit"]) for (const style of ["long", "short", "narrow"]) {
    const f = new Intl.ListFormat(locale, { type, style });
    const literals = items => f.formatToParts(items).filter(p => p.type === "literal").map(p => p.value);
    const [two] = literals(["x", "y"]), [start, middle, end] = literals(["w", "x", "y", "z"]);
    out[type + " " + style] = [two, start, middle, end];
  }
  return out;
}

function relative(locale) {
  const out = {}, samples = plural(locale);
  for (const unit of ["second", "minute", "hour", "day", "week", "month", "quarter", "year"]) {
    out[unit] = ["long", "short", "narrow"].map(style => {
      const f = new Intl.RelativeTimeFormat(locale, { style }), auto = new Intl.RelativeTimeFormat(locale, { style, numeric: "auto" });
      const text = parts => {
        let s = "", inNumber = false;
        for (const p of parts) { if (p.type !== "literal") { if (!inNumber) s += "{0}"; inNumber = true; } else { s += p.value; inNumber = false; } }
        return s;
      };
      const forms = sign => Object.fromEntries(Object.keys(samples).map(c => [c, text(f.formatToParts(sign * samples[c], unit))]));
      const words = {};
      for (const n of [-2, -1, 0, 1, 2]) { const t = auto.formatToParts(n, unit); if (t.length === 1 && t[0].type === "literal") words[n] = t[0].value; }
      return { future: forms(1), past: forms(-1), words };
    });
  }
  return out;
}

for (const locale of locales) {
  const data = { locale, plural: Object.keys(plural(locale)), numbers: numbers(locale), dates: dates(locale), lists: lists(locale), relative: relative(locale) };
  const text = JSON.stringify(data, null, 0).replace(/,"(numbers|dates|lists|relative|currencies|names|compact|units|months|weekdays|periods|patterns|date|time|glue|weekday|styles|zones)":/g, ',\n"$1":');
  fs.writeFileSync(path.join(here, `${locale}.json`), text + "\n");
}

// Intl of ECMA-402: the classes, whose work is in Go.
(function (go) {
  "use strict";
  const tag = Symbol.toStringTag;
  const define = (on, name, value) => Object.defineProperty(on, name, { __proto__: null, value, writable: true, configurable: true });

  // Slot puts a private field on an object that another constructor made.
  class Slot extends (function (object) { return object; }) {
    #value;
    constructor(object, value) { super(object); this.#value = value; }
    static of(object) {
      if (object === null || typeof object !== "object" || !(#value in object)) throw new TypeError("Method called on incompatible receiver");
      return object.#value;
    }
  }
  const of = Slot.of;

  const Intl = {};
  const functions = {
    getCanonicalLocales(locales) { return go.canonical(locales); },
    supportedValuesOf(key) { return go.values(`${key}`); },
  };
  for (const name of Object.keys(functions)) define(Intl, name, functions[name]);
  define(Intl, tag, "Intl");

  // publish makes a class of a constructor: callable ones make an object without new too.
  const publish = (name, callable, methods, getters = {}) => {
    const make = go[name];
    const constructor = { [name]: function (locales = undefined, options = undefined) {
      if (new.target === undefined) {
        if (callable) return new constructor(locales, options);
        throw new TypeError(`Constructor Intl.${name} requires 'new'`);
      }
      new Slot(this, make(locales, options));
    } }[name];
    for (const key of Object.keys(methods)) define(constructor.prototype, key, methods[key]);
    for (const key of Object.keys(getters)) {
      Object.defineProperty(constructor.prototype, key, {
        __proto__: null, configurable: true,
        get() {
          const slot = of(this);
          return slot[getters[key]] ??= bound(slot, getters[key]);
        },
      });
    }
    Object.defineProperty(constructor.prototype, tag, { __proto__: null, value: `Intl.${name}`, configurable: true });
    Object.defineProperty(constructor.prototype, "constructor", { __proto__: null, value: constructor, writable: true, configurable: true });
    define(constructor, "supportedLocalesOf", { supportedLocalesOf(locales, options = undefined) { return go.supported(locales); } }.supportedLocalesOf);
    define(Intl, name, constructor);
    return constructor;
  };
  const bound = (slot, kind) => {
    const f = kind === "boundCompare" ? slot.compare : slot.format;
    return kind === "boundCompare" ? (x, y) => f(`${x}`, `${y}`) : value => f(value);
  };
  const resolvedOptions = { resolvedOptions() { const { resolved } = of(this); return resolved(); } };
  const noRange = name => ({ [name](start, end) { return go.refuse(`Intl ${name}`); } })[name];

  publish("NumberFormat", true, {
    formatToParts(value) { const { parts } = of(this); return parts(value); },
    formatRange: noRange("formatRange"), formatRangeToParts: noRange("formatRangeToParts"),
    ...resolvedOptions,
  }, { format: "boundFormat" });
  publish("DateTimeFormat", true, {
    formatToParts(date) { const { parts } = of(this); return parts(date); },
    formatRange: noRange("formatRange"), formatRangeToParts: noRange("formatRangeToParts"),
    ...resolvedOptions,
  }, { format: "boundFormat" });
  publish("Collator", true, { ...resolvedOptions }, { compare: "boundCompare" });
  publish("PluralRules", false, {
    select(value) { const { format } = of(this); return format(value); },
    selectRange: noRange("selectRange"),
    ...resolvedOptions,
  });
  publish("ListFormat", false, {
    format(list) { const { format } = of(this); return format(list); },
    formatToParts(list) { const { parts } = of(this); return parts(list); },
    ...resolvedOptions,
  });
  publish("RelativeTimeFormat", false, {
    format(value, unit) { const { format } = of(this); return format(value, `${unit}`); },
    formatToParts(value, unit) { const { parts } = of(this); return parts(value, `${unit}`); },
    ...resolvedOptions,
  });
  publish("Segmenter", false, {
    segment(input) { return segmentsOf(`${input}`, of(this)[1]); },
    resolvedOptions() { const made = of(this); return { locale: made[0], granularity: made[1] }; },
  });
  for (const name of ["DisplayNames", "DurationFormat", "Locale"]) {
    define(Intl, name, { [name]: function () { return go.refuse(`Intl.${name}`); } }[name]);
  }
  return Intl;

  function segmentsOf(input, granularity) {
    const list = go.segment(input, granularity);
    return {
      containing(index = 0) {
        for (let i = list.length - 1; i >= 0; i--) {
          if (list[i].index <= index && index < input.length) return list[i];
        }
      },
      *[Symbol.iterator]() { for (let i = 0; i < list.length; i++) yield list[i]; },
    };
  }
})

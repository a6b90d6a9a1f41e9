// URL and URLSearchParams of https://url.spec.whatwg.org/. Parsing is Go's.
(function (native) {
  "use strict";
  const { parse, get, set, readForm, writeForm } = native;
  const tag = Symbol.toStringTag, iterator = Symbol.iterator;
  const fail = (message, code) => { const e = new TypeError(message); e.code = code; return e; };
  const need = (args, n, names) => {
    if (args.length < n) throw fail(`The ${names} must be specified`, "ERR_MISSING_ARGS");
  };
  // Of a pair of classes, each sees the other's private state through these.
  let attach, refill;

  class URLSearchParams {
    #list = []; // names and values in turn
    #changed = null; // tells the URL that it belongs to
    static {
      attach = (params, query, changed) => { params.#list = readForm(query); params.#changed = changed; };
      refill = (params, query) => { params.#list = readForm(query); };
    }
    constructor(init = undefined) {
      if (init === undefined || init === null) return;
      if (typeof init !== "object" && typeof init !== "function") {
        const query = `${init}`;
        this.#list = readForm(query[0] === "?" ? query.slice(1) : query);
        return;
      }
      const list = this.#list;
      const add = (name, value) => { list[list.length] = `${name}`; list[list.length] = `${value}`; };
      const method = init[iterator];
      if (method === undefined || method === null) {
        const keys = Reflect.ownKeys(init);
        for (let i = 0; i < keys.length; i++) {
          const d = Object.getOwnPropertyDescriptor(init, keys[i]);
          if (d !== undefined && d.enumerable) add(keys[i], init[keys[i]]);
        }
        return;
      }
      for (const pair of init) {
        const items = pair !== null && typeof pair === "object" && typeof pair[iterator] === "function" ? [...pair] : [];
        if (items.length !== 2) throw fail("Each query pair must be an iterable [name, value] tuple", "ERR_INVALID_TUPLE");
        add(items[0], items[1]);
      }
    }
    #update() {
      const changed = this.#changed;
      if (changed !== null) changed(writeForm(this.#list));
    }
    #remove(keep) {
      const list = this.#list, kept = [];
      for (let i = 0; i < list.length; i += 2) {
        if (keep(list[i], list[i + 1])) { kept[kept.length] = list[i]; kept[kept.length] = list[i + 1]; }
      }
      this.#list = kept;
      this.#update();
    }
    get size() { return this.#list.length / 2; }
    append(name, value) {
      need(arguments, 2, '"name" and "value" arguments');
      const list = this.#list;
      name = `${name}`; value = `${value}`;
      list[list.length] = name; list[list.length] = value;
      this.#update();
    }
    delete(name, value = undefined) {
      need(arguments, 1, '"name" argument');
      name = `${name}`;
      if (value !== undefined) value = `${value}`;
      this.#remove((n, v) => n !== name || (value !== undefined && v !== value));
    }
    get(name) {
      need(arguments, 1, '"name" argument');
      name = `${name}`;
      const list = this.#list;
      for (let i = 0; i < list.length; i += 2) if (list[i] === name) return list[i + 1];
      return null;
    }
    getAll(name) {
      need(arguments, 1, '"name" argument');
      name = `${name}`;
      const list = this.#list, found = [];
      for (let i = 0; i < list.length; i += 2) if (list[i] === name) found[found.length] = list[i + 1];
      return found;
    }
    has(name, value = undefined) {
      need(arguments, 1, '"name" argument');
      name = `${name}`;
      if (value !== undefined) value = `${value}`;
      const list = this.#list;
      for (let i = 0; i < list.length; i += 2) {
        if (list[i] === name && (value === undefined || list[i + 1] === value)) return true;
      }
      return false;
    }
    set(name, value) {
      need(arguments, 2, '"name" and "value" arguments');
      name = `${name}`; value = `${value}`;
      const list = this.#list;
      let found = false;
      for (let i = 0; i < list.length && !found; i += 2) if (list[i] === name) { list[i + 1] = value; found = true; }
      if (!found) { list[list.length] = name; list[list.length] = value; this.#update(); return; }
      let first = true;
      this.#remove(n => n !== name || (first && !(first = false)));
    }
    sort() {
      const list = this.#list, pairs = [];
      for (let i = 0; i < list.length; i += 2) pairs[pairs.length] = [list[i], list[i + 1]];
      pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      const sorted = [];
      for (let i = 0; i < pairs.length; i++) { sorted[2 * i] = pairs[i][0]; sorted[2 * i + 1] = pairs[i][1]; }
      this.#list = sorted;
      this.#update();
    }
    forEach(callback, thisArg = undefined) {
      if (typeof callback !== "function") throw fail('The "callback" argument must be of type function.', "ERR_INVALID_ARG_TYPE");
      for (let i = 0; i < this.#list.length; i += 2) callback.call(thisArg, this.#list[i + 1], this.#list[i], this);
    }
    *entries() { for (let i = 0; i < this.#list.length; i += 2) yield [this.#list[i], this.#list[i + 1]]; }
    *keys() { for (let i = 0; i < this.#list.length; i += 2) yield this.#list[i]; }
    *values() { for (let i = 0; i < this.#list.length; i += 2) yield this.#list[i + 1]; }
    toString() { return writeForm(this.#list); }
    get [tag]() { return "URLSearchParams"; }
  }
  Object.defineProperty(URLSearchParams.prototype, iterator, {
    __proto__: null, value: URLSearchParams.prototype.entries, writable: true, configurable: true,
  });

  class URL {
    #handle;
    #params = null;
    constructor(url, base = undefined) {
      need(arguments, 1, '"url" argument');
      url = `${url}`;
      const handle = parse(url, base === undefined ? undefined : `${base}`);
      if (handle === null) {
        const e = fail("Invalid URL", "ERR_INVALID_URL");
        e.input = url;
        if (base !== undefined) e.base = `${base}`;
        throw e;
      }
      this.#handle = handle;
    }
    static canParse(url, base = undefined) {
      need(arguments, 1, '"url" argument');
      return parse(`${url}`, base === undefined ? undefined : `${base}`) !== null;
    }
    static parse(url, base = undefined) {
      try { return new URL(url, base); } catch { return null; }
    }
    get href() { return get(this.#handle, "href"); }
    set href(value) {
      const handle = parse(`${value}`, undefined);
      if (handle === null) { const e = fail("Invalid URL", "ERR_INVALID_URL"); e.input = `${value}`; throw e; }
      this.#handle = handle;
      this.#refill();
    }
    get origin() { return get(this.#handle, "origin"); }
    get protocol() { return get(this.#handle, "protocol"); }
    set protocol(value) { set(this.#handle, "protocol", `${value}`); }
    get username() { return get(this.#handle, "username"); }
    set username(value) { set(this.#handle, "username", `${value}`); }
    get password() { return get(this.#handle, "password"); }
    set password(value) { set(this.#handle, "password", `${value}`); }
    get host() { return get(this.#handle, "host"); }
    set host(value) { set(this.#handle, "host", `${value}`); }
    get hostname() { return get(this.#handle, "hostname"); }
    set hostname(value) { set(this.#handle, "hostname", `${value}`); }
    get port() { return get(this.#handle, "port"); }
    set port(value) { set(this.#handle, "port", `${value}`); }
    get pathname() { return get(this.#handle, "pathname"); }
    set pathname(value) { set(this.#handle, "pathname", `${value}`); }
    get search() { return get(this.#handle, "search"); }
    set search(value) { set(this.#handle, "search", `${value}`); this.#refill(); }
    get hash() { return get(this.#handle, "hash"); }
    set hash(value) { set(this.#handle, "hash", `${value}`); }
    get searchParams() {
      if (this.#params === null) {
        this.#params = new URLSearchParams();
        attach(this.#params, this.#query(), query => set(this.#handle, "search", query));
      }
      return this.#params;
    }
    #query() { const search = get(this.#handle, "search"); return search === "" ? "" : search.slice(1); }
    #refill() { if (this.#params !== null) refill(this.#params, this.#query()); }
    toString() { return get(this.#handle, "href"); }
    toJSON() { return get(this.#handle, "href"); }
    get [tag]() { return "URL"; }
  }
  return { URL, URLSearchParams };
})

// Iterator and the iterator helpers of ECMAScript 2025.
(function (prototype, defineProperty) {
  "use strict";
  const tag = Symbol.toStringTag, iteratorSymbol = Symbol.iterator;

  // The standard reads next once. Here it is read at every step, which only a getter could
  // tell: a call through Function.prototype.call costs goja several times as much.
  const record = iterator => {
    if (iterator === null || typeof iterator !== "object" && typeof iterator !== "function") {
      throw new TypeError("Iterator helper called on a value that is not an object");
    }
    return { __proto__: null, iterator };
  };
  const step = source => {
    const result = source.iterator.next();
    if (result === null || typeof result !== "object" && typeof result !== "function") {
      throw new TypeError(`Iterator result ${String(result)} is not an object`);
    }
    return result;
  };
  const close = ({ iterator }) => {
    const method = iterator.return;
    if (method !== undefined && method !== null) method.call(iterator);
  };
  // guarded calls back, closing the iterator if that throws.
  const guarded = (source, callback, a, b) => {
    try { return callback(a, b); } catch (e) { try { close(source); } catch {} throw e; }
  };
  const callable = (source, f) => {
    if (typeof f === "function") return;
    try { close({ iterator: source }); } catch {}
    throw new TypeError(`${String(f)} is not a function`);
  };
  const count = (source, limit) => {
    try {
      const n = Number(limit);
      if (n !== n) throw new RangeError(`${String(limit)} must be positive`);
      const whole = Math.trunc(n);
      if (whole < 0) throw new RangeError(`${String(limit)} must be positive`);
      return whole;
    } catch (e) { try { close({ iterator: source }); } catch {} throw e; }
  };

  function Iterator() {
    if (new.target === undefined || new.target === Iterator) throw new TypeError("Abstract class Iterator not directly constructable");
  }
  defineProperty(Iterator, "prototype", { __proto__: null, value: prototype, writable: false });
  const statics = {
    __proto__: null,
    from(value) {
      if (value === null || typeof value !== "object" && typeof value !== "function" && typeof value !== "string") {
        throw new TypeError(`${String(value)} is not an object`);
      }
      const method = value[iteratorSymbol];
      const source = record(method === undefined || method === null ? value : method.call(value));
      if (prototype.isPrototypeOf(source.iterator)) return source.iterator;
      return new Wrapped(source);
    },
    concat(...items) {
      const methods = items.map(item => {
        if (item === null || typeof item !== "object") throw new TypeError(`${String(item)} is not an object`);
        const method = item[iteratorSymbol];
        if (typeof method !== "function") throw new TypeError(`${String(item)} is not iterable`);
        return method;
      });
      let at = 0, inner = null;
      return new Helper(null, () => {
        for (;;) {
          if (inner === null) {
            if (at === items.length) return { done: true };
            inner = record(methods[at].call(items[at]));
            at++;
          }
          const result = step(inner);
          if (!result.done) return { value: result.value, done: false };
          inner = null;
        }
      }, () => { if (inner !== null) close(inner); });
    },
  };

  class Wrapped extends Iterator {
    #source;
    constructor(source) { super(); this.#source = source; }
    next() { return this.#source.iterator.next(); }
    return() {
      const { iterator } = this.#source, method = iterator.return;
      return method === undefined ? { value: undefined, done: true } : method.call(iterator);
    }
  }

  // Helper is what map, filter and so on answer. Advance gives {value, done}.
  class Helper extends Iterator {
    #source; #advance; #closeInner; #state = "fresh";
    constructor(source, advance, closeInner = null) {
      super();
      this.#source = source;
      this.#advance = advance;
      this.#closeInner = closeInner;
    }
    next() {
      if (this.#state === "running") throw new TypeError("Generator is already running");
      if (this.#state === "done") return { value: undefined, done: true };
      this.#state = "running";
      try {
        const advance = this.#advance, result = advance();
        if (result.done) { this.#state = "done"; return { value: undefined, done: true }; }
        this.#state = "paused";
        return { value: result.value, done: false };
      } catch (e) { this.#state = "done"; throw e; }
    }
    return() {
      if (this.#state === "running") throw new TypeError("Generator is already running");
      if (this.#state !== "done") {
        const paused = this.#state === "paused", closeInner = this.#closeInner;
        this.#state = "done";
        if (paused && closeInner !== null) closeInner();
        if (this.#source !== null) close(this.#source);
      }
      return { value: undefined, done: true };
    }
    get [tag]() { return "Iterator Helper"; }
  }

  const flatten = value => {
    if (value === null || typeof value !== "object" && typeof value !== "function") throw new TypeError(`${String(value)} is not an object`);
    const method = value[iteratorSymbol];
    return record(method === undefined || method === null ? value : method.call(value));
  };

  const methods = {
    __proto__: null,
    map(mapper) {
      callable(this, mapper);
      const source = record(this);
      let n = 0;
      return new Helper(source, () => {
        const result = step(source);
        return result.done ? result : { value: guarded(source, mapper, result.value, n++), done: false };
      });
    },
    filter(predicate) {
      callable(this, predicate);
      const source = record(this);
      let n = 0;
      return new Helper(source, () => {
        for (;;) {
          const result = step(source);
          if (result.done) return result;
          const value = result.value;
          if (guarded(source, predicate, value, n++)) return { value, done: false };
        }
      });
    },
    take(limit) {
      let left = count(this, limit);
      const source = record(this);
      return new Helper(source, () => {
        if (left === 0) { close(source); return { done: true }; }
        left--;
        return step(source);
      });
    },
    drop(limit) {
      let left = count(this, limit);
      const source = record(this);
      return new Helper(source, () => {
        for (; left > 0; left--) {
          const result = step(source);
          if (result.done) return result;
        }
        return step(source);
      });
    },
    flatMap(mapper) {
      callable(this, mapper);
      const source = record(this);
      let n = 0, inner = null;
      return new Helper(source, () => {
        for (;;) {
          if (inner === null) {
            const result = step(source);
            if (result.done) return result;
            inner = guarded(source, (value, i) => flatten(mapper(value, i)), result.value, n++);
          }
          const result = guarded(source, step, inner);
          if (!result.done) return { value: result.value, done: false };
          inner = null;
        }
      }, () => { if (inner !== null) close(inner); });
    },
    reduce(reducer, ...initial) {
      callable(this, reducer);
      const source = record(this);
      let total, n = 0;
      if (initial.length > 0) total = initial[0];
      else {
        const result = step(source);
        if (result.done) throw new TypeError("Reduce of a done iterator with no initial value");
        total = result.value;
        n = 1;
      }
      for (;;) {
        const result = step(source);
        if (result.done) return total;
        total = guarded(source, (value, i) => reducer(total, value, i), result.value, n++);
      }
    },
    toArray() {
      const source = record(this), list = [];
      for (;;) {
        const result = step(source);
        if (result.done) return list;
        list[list.length] = result.value;
      }
    },
    forEach(f) {
      callable(this, f);
      const source = record(this);
      for (let n = 0; ; n++) {
        const result = step(source);
        if (result.done) return;
        guarded(source, f, result.value, n);
      }
    },
    some(predicate) {
      callable(this, predicate);
      const source = record(this);
      for (let n = 0; ; n++) {
        const result = step(source);
        if (result.done) return false;
        if (guarded(source, predicate, result.value, n)) { close(source); return true; }
      }
    },
    every(predicate) {
      callable(this, predicate);
      const source = record(this);
      for (let n = 0; ; n++) {
        const result = step(source);
        if (result.done) return true;
        if (!guarded(source, predicate, result.value, n)) { close(source); return false; }
      }
    },
    find(predicate) {
      callable(this, predicate);
      const source = record(this);
      for (let n = 0; ; n++) {
        const result = step(source);
        if (result.done) return undefined;
        if (guarded(source, predicate, result.value, n)) { const value = result.value; close(source); return value; }
      }
    },
  };
  const define = (on, name, value) => defineProperty(on, name, { __proto__: null, value, writable: true, configurable: true });
  for (const name in statics) define(Iterator, name, statics[name]);
  for (const name in methods) define(prototype, name, methods[name]);
  define(prototype, "constructor", Iterator);
  if (!(tag in prototype)) define(prototype, tag, "Iterator");
  return Iterator;
})

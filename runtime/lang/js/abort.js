// EventTarget, Event, AbortController and AbortSignal of https://dom.spec.whatwg.org/, without
// a tree of targets to travel through.
(function (DOMException, setTimeout) {
  "use strict";
  class Event {
    #type; #cancelable; #prevented = false; #target = null; #stopped = false;
    static { Event.dispatch = (event, target) => { event.#target = target; return () => event.#stopped; }; }
    constructor(type, options = {}) {
      this.#type = `${type}`;
      this.#cancelable = !!options?.cancelable;
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get currentTarget() { return this.#target; }
    get cancelable() { return this.#cancelable; }
    get bubbles() { return false; }
    get defaultPrevented() { return this.#prevented; }
    preventDefault() { if (this.#cancelable) this.#prevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { this.#stopped = true; }
    get [Symbol.toStringTag]() { return "Event"; }
  }
  const dispatch = Event.dispatch;
  delete Event.dispatch;

  class EventTarget {
    #listeners = [];
    addEventListener(type, listener, options = undefined) {
      if (listener === null || listener === undefined) return;
      type = `${type}`;
      if (this.#listeners.some(l => l.type === type && l.listener === listener)) return;
      const entry = { type, listener, once: typeof options === "object" && options !== null && !!options.once };
      const signal = typeof options === "object" && options !== null ? options.signal : undefined;
      if (signal !== undefined) {
        if (signal.aborted) return;
        signal.addEventListener("abort", () => this.#remove(entry), { once: true });
      }
      this.#listeners.push(entry);
    }
    removeEventListener(type, listener) {
      type = `${type}`;
      this.#listeners = this.#listeners.filter(l => l.type !== type || l.listener !== listener);
    }
    #remove(entry) { this.#listeners = this.#listeners.filter(l => l !== entry); }
    dispatchEvent(event) {
      const stopped = dispatch(event, this);
      const property = this[`on${event.type}`];
      if (typeof property === "function") property.call(this, event);
      for (const entry of [...this.#listeners]) {
        if (entry.type !== event.type || stopped()) continue;
        if (entry.once) this.#remove(entry);
        const { listener } = entry;
        if (typeof listener === "function") listener.call(this, event);
        else listener.handleEvent(event);
      }
      return !event.defaultPrevented;
    }
    get [Symbol.toStringTag]() { return "EventTarget"; }
  }

  const key = {};
  let abort;
  class AbortSignal extends EventTarget {
    #aborted = false; #reason; #dependents = [];
    onabort = null;
    static {
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
        signal.dispatchEvent(new Event("abort"));
        for (const dependent of signal.#dependents) abort(dependent, signal.#reason);
        signal.#dependents = [];
      };
    }
    constructor(k) {
      super();
      if (k !== key) throw new TypeError("Illegal constructor");
      Object.defineProperty(this, "onabort", { __proto__: null, value: null, writable: true, enumerable: false, configurable: true });
    }
    static abort(reason = undefined) { const signal = new AbortSignal(key); abort(signal, reason); return signal; }
    static timeout(milliseconds) {
      const signal = new AbortSignal(key);
      setTimeout()(() => abort(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")), milliseconds);
      return signal;
    }
    static any(signals) {
      const made = new AbortSignal(key);
      for (const signal of signals) {
        if (signal.#aborted) { abort(made, signal.#reason); break; }
        signal.#dependents.push(made);
      }
      return made;
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    get [Symbol.toStringTag]() { return "AbortSignal"; }
  }
  class AbortController {
    #signal = new AbortSignal(key);
    get signal() { return this.#signal; }
    abort(reason = undefined) { abort(this.#signal, reason); }
    get [Symbol.toStringTag]() { return "AbortController"; }
  }
  return { Event, EventTarget, AbortSignal, AbortController };
})

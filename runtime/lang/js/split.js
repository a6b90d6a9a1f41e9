// RegExp.prototype[Symbol.split] for patterns that can match nothing: goja's own splits once
// more right behind a match, so that "a b".split(/\s*/) has an empty string in it.
(function (Native, defineProperty, mark) {
  "use strict";
  const prototype = Native.prototype, original = prototype[Symbol.split], exec = prototype.exec, apply = Reflect.apply;
  const method = { [Symbol.split](string, limit) {
    const source = this?.source;
    if (typeof source !== "string" || !source.startsWith(mark) || Object.getPrototypeOf(this) !== prototype) {
      return apply(original, this, [string, limit]);
    }
    const text = `${string}`, pieces = [], most = limit === undefined ? 4294967295 : limit >>> 0;
    if (most === 0) return pieces;
    const flags = `${this.flags}`, unicode = flags.includes("u");
    const splitter = new Native(this, flags.includes("y") ? flags : flags + "y");
    if (text === "") return apply(exec, splitter, [text]) === null ? [text] : pieces;
    let start = 0, at = 0;
    while (at < text.length) {
      splitter.lastIndex = at;
      const match = apply(exec, splitter, [text]);
      const end = match === null ? start : splitter.lastIndex;
      if (match === null || end === start) {
        at += unicode && text.codePointAt(at) > 0xFFFF ? 2 : 1;
        continue;
      }
      pieces[pieces.length] = text.slice(start, at);
      if (pieces.length === most) return pieces;
      for (let i = 1; i < match.length; i++) {
        pieces[pieces.length] = match[i];
        if (pieces.length === most) return pieces;
      }
      start = at = end;
    }
    pieces[pieces.length] = text.slice(start);
    return pieces;
  } };
  defineProperty(prototype, Symbol.split, { __proto__: null, value: method[Symbol.split], writable: true, configurable: true });
  return prototype;
})

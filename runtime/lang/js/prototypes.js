// Methods that goja lacks or gets wrong, by class. Each passes itself on to Go.
(function (go) {
  "use strict";
  return {
    Number: { toLocaleString(locales = undefined, options = undefined) { return go(0, this, locales, options); } },
    BigInt: { toLocaleString(locales = undefined, options = undefined) { return go(1, this, locales, options); } },
    Date: {
      toLocaleString(locales = undefined, options = undefined) { return go(2, this, locales, options); },
      toLocaleDateString(locales = undefined, options = undefined) { return go(3, this, locales, options); },
      toLocaleTimeString(locales = undefined, options = undefined) { return go(4, this, locales, options); },
    },
    String: {
      localeCompare(that, locales = undefined, options = undefined) { return go(5, string(this), that, locales, options); },
      isWellFormed() { return go(6, string(this)); },
      toWellFormed() { return go(7, string(this)); },
      toLocaleLowerCase(locales = undefined) { return go(8, string(this), locales); },
      toLocaleUpperCase(locales = undefined) { return go(9, string(this), locales); },
    },
    Array: {
      toLocaleString(locales = undefined, options = undefined) {
        let text = "";
        for (let i = 0; i < this.length; i++) {
          const item = this[i];
          if (i > 0) text += ",";
          if (item !== undefined && item !== null) text += item.toLocaleString(locales, options);
        }
        return text;
      },
    },
  };
  function string(value) {
    if (value === undefined || value === null) throw new TypeError("String.prototype method called on null or undefined");
    return `${value}`;
  }
})

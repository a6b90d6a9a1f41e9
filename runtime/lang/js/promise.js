// Promise.withResolvers, Promise.try and Array.fromAsync.
(function () {
  "use strict";
  const capability = C => {
    if (typeof C !== "function") throw new TypeError("Promise method called on a value that is not a constructor");
    let resolve, reject;
    const promise = new C((a, b) => { resolve = a; reject = b; });
    return { promise, resolve, reject };
  };
  return {
    Promise: {
      withResolvers() { return capability(this); },
      try(callback, ...args) {
        const { promise, resolve, reject } = capability(this);
        try { resolve(callback(...args)); } catch (e) { reject(e); }
        return promise;
      },
    },
    Array: {
      async fromAsync(items, mapper = undefined, thisArg = undefined) {
        if (mapper !== undefined && typeof mapper !== "function") throw new TypeError(`${mapper} is not a function`);
        const made = typeof this === "function" ? new this() : [];
        let n = 0;
        const add = async value => {
          if (mapper !== undefined) value = await mapper.call(thisArg, value, n);
          Object.defineProperty(made, n, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
          n++;
        };
        const asyncMethod = items[Symbol.asyncIterator], syncMethod = items[Symbol.iterator];
        if (asyncMethod === undefined && syncMethod === undefined) {
          for (let i = 0; i < items.length; i++) await add(await items[i]);
        } else {
          const iterator = (asyncMethod ?? syncMethod).call(items), next = iterator.next;
          let ended = true;
          try {
            for (;;) {
              let result = next.call(iterator);
              if (asyncMethod !== undefined) result = await result;
              if (result.done) break;
              ended = false;
              await add(asyncMethod !== undefined ? result.value : await result.value);
              ended = true;
            }
          } finally {
            if (!ended) iterator.return?.();
          }
        }
        made.length = n;
        return made;
      },
    },
  };
})

// What a script in sandboxd can use beside the JavaScript language itself (lib es2022).
// A script is the body of an async function: await and return stand at its top level.

/** The value that the run was started with; {} if there was none. */
declare const args: any;

/** Answers the run, as return does. The first call counts. */
declare function resolve(value?: unknown): void;

/**
 * Finds operations: help() lists them, help("rename a file") searches,
 * help("files.readText") describes one.
 */
declare function help(query?: string): string;

interface ParseCSVOptions {
  /** One character. Found out from the first lines if left out. */
  delimiter?: string;
  /** Whether the first row names the columns, which is the default, or the names themselves. */
  header?: boolean | readonly string[];
  /** What fields are quoted with; "" for nothing. Defaults to '"'. */
  quote?: string;
  /** Takes the space around fields away. Defaults to false. */
  trim?: boolean;
  /** Leaves out lines without content. Defaults to true. */
  skipEmpty?: boolean;
  /** Turns unquoted numbers, true, false and empty fields into values. Defaults to false. */
  types?: boolean;
  /** How many rows to read at most. */
  limit?: number;
}
type CSVField<O> = O extends { types: true } ? string | number | boolean | null : string;

/** Reads CSV: an object for each row, or with header: false an array. */
declare function parseCSV<O extends ParseCSVOptions = {}>(
  text: string,
  options?: O,
): O extends { header: false } ? CSVField<O>[][] : Record<string, CSVField<O>>[];

interface ToCSVOptions {
  /** Defaults to ",". */
  delimiter?: string;
  /** Defaults to "\n". */
  newline?: string;
  /** Begins with a byte order mark, for Excel. Defaults to false. */
  bom?: boolean;
  /** Writes the names of objects' columns first. Defaults to true. */
  header?: boolean;
  /** Which members of objects, in which order. Defaults to all. */
  columns?: readonly string[];
  /** Quotes every field, not only those that need it. Defaults to false. */
  quoteAll?: boolean;
  /** Keeps spreadsheets from running text as formulas. Defaults to false. */
  safe?: boolean;
}

/** Writes rows, objects or arrays, as CSV. */
declare function toCSV(rows: Iterable<object>, options?: ToCSVOptions): string;

interface Console {
  log(...data: any[]): void;
  info(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  debug(...data: any[]): void;
  trace(...data: any[]): void;
  dir(value?: any): void;
  table(rows?: any): void;
  assert(condition?: boolean, ...data: any[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
  timeEnd(label?: string): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
}
/** Captured in order and answered as the run's logs. */
declare var console: Console;

declare function structuredClone<T>(value: T): T;
declare function atob(data: string): string;
declare function btoa(data: string): string;

declare function setTimeout<A extends unknown[]>(callback: (...args: A) => void, ms?: number, ...args: A): number;
declare function setInterval<A extends unknown[]>(callback: (...args: A) => void, ms?: number, ...args: A): number;
declare function setImmediate<A extends unknown[]>(callback: (...args: A) => void, ...args: A): number;
declare function clearTimeout(id?: number): void;
declare function clearInterval(id?: number): void;
declare function clearImmediate(id?: number): void;
declare function queueMicrotask(callback: () => void): void;

interface TextEncoder {
  readonly encoding: string;
  encode(input?: string): Uint8Array;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder };

interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare var TextDecoder: {
  prototype: TextDecoder;
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, key: string, parent: URLSearchParams) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
}
declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (init?: string | URLSearchParams | Record<string, string> | Iterable<[string, string]>): URLSearchParams;
};

interface URL {
  href: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}
declare var URL: {
  prototype: URL;
  new (url: string | URL, base?: string | URL): URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};

interface Crypto {
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  readonly subtle: {
    digest(algorithm: string | { name: string }, data: ArrayBuffer | ArrayBufferView): Promise<ArrayBuffer>;
  };
}
declare var crypto: Crypto;

interface DOMException extends Error {
  readonly code: number;
}
declare var DOMException: { prototype: DOMException; new (message?: string, name?: string): DOMException };

// What is newer than es2022.

interface Array<T> {
  findLast<S extends T>(predicate: (value: T, index: number, array: T[]) => value is S): S | undefined;
  findLast(predicate: (value: T, index: number, array: T[]) => unknown): T | undefined;
  findLastIndex(predicate: (value: T, index: number, array: T[]) => unknown): number;
  toReversed(): T[];
  toSorted(compare?: (a: T, b: T) => number): T[];
  toSpliced(start: number, deleteCount?: number, ...items: T[]): T[];
  with(index: number, value: T): T[];
}
interface String {
  isWellFormed(): boolean;
  toWellFormed(): string;
}
interface ObjectConstructor {
  groupBy<K extends PropertyKey, T>(items: Iterable<T>, key: (item: T, index: number) => K): Partial<Record<K, T[]>>;
}
interface MapConstructor {
  groupBy<K, T>(items: Iterable<T>, key: (item: T, index: number) => K): Map<K, T[]>;
}
interface PromiseConstructor {
  withResolvers<T>(): {
    promise: Promise<T>;
    resolve: (value: T | PromiseLike<T>) => void;
    reject: (reason?: any) => void;
  };
}

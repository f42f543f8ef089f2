import { fileURLToPath } from "node:url";
import type { ScriptText } from "../redis/ledger/redis-scripts.ts";
import type { Reply, TinyRedis } from "./tiny-redis.ts";

/** A compiled script. */
export type LuaScript = (redis: TinyRedis, key: string, args: readonly string[]) => Reply;

/** The functions of Lua's own interface for C that are used here; a number is an address, or an index of the stack. */
interface LuaC {
  readonly HEAPU8: Uint8Array;
  addFunction(callback: (state: number) => number, signature: string): number;
  _malloc(bytes: number): number;
  _luaL_newstate(): number;
  _luaL_loadbufferx(state: number, text: number, length: number, name: number, mode: number): number;
  _luaL_ref(state: number, table: number): number;
  _luaopen_base(state: number): number;
  _luaopen_math(state: number): number;
  _luaopen_string(state: number): number;
  _luaopen_table(state: number): number;
  _lua_checkstack(state: number, count: number): number;
  _lua_createtable(state: number, count: number, fields: number): void;
  _lua_error(state: number): number;
  _lua_gettop(state: number): number;
  _lua_pcallk(state: number, args: number, results: number, handler: number, ctx: number, k: number): number;
  _lua_pushboolean(state: number, value: number): void;
  _lua_pushcclosure(state: number, callback: number, values: number): void;
  _lua_pushinteger(state: number, value: bigint): void;
  _lua_pushlstring(state: number, text: number, length: number): number;
  _lua_rawgeti(state: number, index: number, at: bigint): number;
  _lua_rawlen(state: number, index: number): number;
  _lua_rawseti(state: number, index: number, at: bigint): void;
  _lua_setglobal(state: number, name: number): void;
  _lua_settop(state: number, index: number): void;
  _lua_toboolean(state: number, index: number): number;
  _lua_tolstring(state: number, index: number, length: number): number;
  _lua_tonumberx(state: number, index: number, isNumber: number): number;
  _lua_type(state: number, index: number): number;
}

const REGISTRY = -1_001_000;
const [BOOLEAN, NUMBER, STRING, TABLE] = [1, 3, 4, 5];
/**
 * Parts of the Lua 5.1 of Redis that Lua 5.4 has not. `pairs` goes in the order of the keys: that of Lua 5.4 is another
 * one in every process, and a simulation must do the same twice.
 */
const PRELUDE = `
unpack = table.unpack
redis = { call = host, pcall = host }
cjson = { encode = function(list) return host('', unpack(list)) end }
function pairs(values)
  local keys, at = {}, 0
  for key in next, values do keys[#keys + 1] = key end
  if not keys[2] then return next, values end
  table.sort(keys)
  return function()
    at = at + 1
    return keys[at], values[keys[at]]
  end
end
function start(script, key, ...)
  KEYS, ARGV = { key }, { ... }
  return script()
end
`;

/** A Lua in WebAssembly that runs scripts for Redis. It keeps their definitions, and no data from one call to the next. */
export class LuaVm {
  readonly #c: LuaC;
  readonly #state: number;
  readonly #scripts = new Map<string, LuaScript>();
  readonly #start: number;
  readonly #length: number;
  #memory: Buffer = Buffer.alloc(0);
  #buffer: number;
  #bufferBytes = 4_096;
  /** That of the script that is running. */
  #redis: TinyRedis | undefined;

  constructor(c: LuaC) {
    this.#c = c;
    this.#length = c._malloc(4);
    this.#buffer = c._malloc(this.#bufferBytes);
    this.#state = c._luaL_newstate();
    c._luaopen_base(this.#state);
    this.#define("math", () => c._luaopen_math(this.#state));
    this.#define("string", () => c._luaopen_string(this.#state));
    this.#define("table", () => c._luaopen_table(this.#state));
    const host = c.addFunction((state) => this.#callRedis(state), "ii");
    this.#define("host", () => c._lua_pushcclosure(this.#state, host, 0));
    c._lua_settop(this.#state, 0);
    this.#load(PRELUDE);
    this.#check(c._lua_pcallk(this.#state, 0, 0, 0, 0, 0));
    this.#load("return start(...)");
    this.#start = c._luaL_ref(this.#state, REGISTRY);
  }

  /** Returns a script, which is compiled and whose definitions are made once. */
  script({ definitions, body }: ScriptText): LuaScript {
    const text = `${definitions}\nreturn function()\n${body}\nend`;
    const known = this.#scripts.get(text);
    if (known !== undefined) return known;
    this.#load(text);
    this.#check(this.#c._lua_pcallk(this.#state, 0, 1, 0, 0, 0));
    const reference = this.#c._luaL_ref(this.#state, REGISTRY);
    const script: LuaScript = (redis, key, args) => this.#run(reference, redis, [key, ...args]);
    this.#scripts.set(text, script);
    return script;
  }

  #run(script: number, redis: TinyRedis, args: readonly string[]): Reply {
    const [c, state] = [this.#c, this.#state];
    c._lua_checkstack(state, args.length + 20);
    c._lua_rawgeti(state, REGISTRY, BigInt(this.#start));
    c._lua_rawgeti(state, REGISTRY, BigInt(script));
    for (const arg of args) this.#push(state, arg);
    this.#redis = redis;
    const status = c._lua_pcallk(state, args.length + 1, 1, 0, 0, 0);
    this.#redis = undefined;
    this.#check(status);
    const reply = this.#read(state, c._lua_gettop(state));
    c._lua_settop(state, 0);
    return reply;
  }

  #callRedis(state: number): number {
    try {
      const count = this.#c._lua_gettop(state);
      const name = this.#argument(state, 1);
      const args: string[] = [];
      for (let index = 2; index <= count; index += 1) args.push(this.#argument(state, index));
      if (this.#redis === undefined) throw new Error("bug: no script is running");
      this.#push(state, name === "" ? JSON.stringify(args) : this.#redis.run(name, args));
      return 1;
    } catch (error) {
      this.#push(state, String(error));
    }
    // Leaves by an exception of its own.
    return this.#c._lua_error(state);
  }

  /** Names the value that `push` leaves. */
  #define(name: string, push: () => unknown): void {
    push();
    this.#write(`${name}\0`);
    this.#c._lua_setglobal(this.#state, this.#buffer);
  }

  #load(text: string): void {
    const length = this.#write(text);
    this.#check(this.#c._luaL_loadbufferx(this.#state, this.#buffer, length, this.#buffer, 0));
  }

  #check(status: number): void {
    if (status === 0) return;
    const message = this.#text(this.#state, this.#c._lua_gettop(this.#state));
    this.#c._lua_settop(this.#state, 0);
    throw new Error(`bug: a script of the ledger failed: ${message.slice(-1_000)}`);
  }

  #argument(state: number, index: number): string {
    const type = this.#c._lua_type(state, index);
    if (type === NUMBER) return String(this.#c._lua_tonumberx(state, index, 0));
    if (type !== STRING) throw new Error("bug: an argument of a command is neither text nor number");
    return this.#text(state, index);
  }

  /** Reads a reply as Redis does: numbers are cut, a list ends at its first gap, `false` is nothing. */
  #read(state: number, index: number): Reply {
    const c = this.#c;
    const type = c._lua_type(state, index);
    if (type === STRING) return this.#text(state, index);
    if (type === NUMBER) return Math.trunc(c._lua_tonumberx(state, index, 0));
    if (type === BOOLEAN) return c._lua_toboolean(state, index) === 1 ? 1 : null;
    if (type !== TABLE) return null;
    const list: Reply[] = [];
    const length = c._lua_rawlen(state, index);
    c._lua_checkstack(state, 20);
    for (let at = 1; at <= length; at += 1) {
      if (c._lua_rawgeti(state, index, BigInt(at)) !== 0) list.push(this.#read(state, index + 1));
      c._lua_settop(state, index);
      if (list.length < at) break;
    }
    return list;
  }

  #push(state: number, value: Reply): void {
    const c = this.#c;
    if (value === null) c._lua_pushboolean(state, 0);
    else if (typeof value === "number") c._lua_pushinteger(state, BigInt(value));
    else if (typeof value === "string") {
      const length = this.#write(value);
      c._lua_pushlstring(state, this.#buffer, length);
    } else {
      c._lua_createtable(state, value.length, 0);
      for (const [index, each] of value.entries()) {
        this.#push(state, each);
        c._lua_rawseti(state, -2, BigInt(index + 1));
      }
    }
  }

  #text(state: number, index: number): string {
    const start = this.#c._lua_tolstring(state, index, this.#length);
    const bytes = this.#bytes;
    return bytes.toString("utf8", start, start + bytes.readUInt32LE(this.#length));
  }

  /** Writes a text into the buffer and returns its bytes. */
  #write(text: string): number {
    const most = 3 * text.length;
    if (most > this.#bufferBytes) {
      this.#bufferBytes = 2 * most;
      // The old one stays: that is rare, and each is twice as large.
      this.#buffer = this.#c._malloc(this.#bufferBytes);
    }
    return this.#bytes.write(text, this.#buffer);
  }

  /** The memory of Lua: when it has grown, it is another one, and the former one is empty. */
  get #bytes(): Buffer {
    if (this.#memory.length === 0) this.#memory = Buffer.from(this.#c.HEAPU8.buffer);
    return this.#memory;
  }
}

/** Where the build puts it too. */
const WASM = new URL("../../../../node_modules/wasmoon/dist/glue.wasm", import.meta.url);

let loaded: Promise<LuaVm> | undefined;

/** Loads the Lua of this process, once. */
export function loadLua(): Promise<LuaVm> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<LuaVm> {
  const { LuaFactory } = await import("wasmoon");
  const { module } = await new LuaFactory(fileURLToPath(WASM)).getLuaModule();
  return new LuaVm(module as unknown as LuaC);
}

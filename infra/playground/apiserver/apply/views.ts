import { messageOf } from "../../../../shared/function/errors.ts";
import { StatusError } from "../errors/status-error.ts";
import type { KubeJson } from "../objects/json.ts";
import type { Schema } from "../schema/schema.ts";
import type { Soon } from "../soon.ts";
import { rootTypeOf, type Type } from "./typed.ts";
import { checkConfiguration } from "./typed-compare.ts";

/** The versions of a kind, for entries that were made through another one than the request. */
export interface KindVersions {
  /** Undefined for a version that the kind does not have. */
  schemaOf(apiVersion: string): Schema | undefined;
  convert(object: KubeJson, apiVersion: string): Soon<KubeJson>;
}

/** An object in one version, and how that version types it. */
export interface View {
  readonly type: Type;
  readonly object: KubeJson;
}

/** An object cannot be shown in the version of an entry, so nothing can be said about who owns what. */
export class NoView extends StatusError {
  constructor(message: string) {
    super(500, "", message);
  }
}

/** Shows objects in the versions of the entries that they are compared for. */
export class Views {
  /** The version of the request. */
  readonly apiVersion: string;
  /** How the version of the request types objects. */
  readonly type: Type;
  readonly #versions: KindVersions | undefined;

  /** `versions` is absent for a kind with the one version of the request; then all entries are taken as made through it. */
  constructor(apiVersion: string, schema: Schema, versions: KindVersions | undefined) {
    this.apiVersion = apiVersion;
    this.type = rootTypeOf(schema);
    this.#versions = versions;
  }

  /** Throws NoView when the version does not exist, has no place for what is in the object, or no webhook converts it. */
  async of(object: KubeJson, apiVersion: string): Promise<View> {
    const type = this.#typeOf(apiVersion);
    if (object.apiVersion === apiVersion) return { type, object };
    const converted = await this.#convert(object, apiVersion);
    const problems = apiVersion === this.apiVersion ? [] : checkConfiguration(type, converted);
    if (problems.length > 0) throw new NoView(problems.join("\n"));
    return { type, object: converted };
  }

  #typeOf(apiVersion: string): Type {
    if (apiVersion === this.apiVersion || !this.#versions) return this.type;
    const schema = this.#versions.schemaOf(apiVersion);
    if (!schema) throw new NoView(`request to convert CR to an invalid group/version: ${apiVersion}`);
    return rootTypeOf(schema);
  }

  async #convert(object: KubeJson, apiVersion: string): Promise<KubeJson> {
    try {
      return (await this.#versions?.convert(object, apiVersion)) ?? object;
    } catch (error) {
      throw new NoView(messageOf(error));
    }
  }
}

import { load } from "js-yaml";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import type { Body, Reply, WatchEvent } from "../api-client.ts";

/** Shown, but not compared: the specification leaves it to us. */
export const TEXT = "text of the failure";

/**
 * Answers of one server in one sequence; values that differ by nature are replaced by their order: uids and versions
 * count up as they appear, times and tokens are only said to be there.
 */
export class Naming {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Failures by what the specification fixes: code, reason, details; not their texts. */
  ofReply({ code, body, text, headers }: Reply): Json {
    const warnings = headers["warning"] === undefined ? [] : String(headers["warning"]).split(/, (?=299 )/);
    return {
      code,
      warnings: warnings.map((line) => this.#text(line)).toSorted((a, b) => (a < b ? -1 : 1)),
      body: this.#body(body, text),
    };
  }

  ofEvent({ type, object }: WatchEvent): Json {
    return { type, object: this.#body(object, "") };
  }

  #body(body: Body, text: string): Json {
    if (body === undefined) return text.startsWith("apiVersion:") ? this.#body(load(text), "") : text.trim();
    this.#learnVersions(body);
    if (body?.kind === "Status" && body.status === "Failure") return this.#failure(body);
    return this.#value(body, "");
  }

  #failure({ reason, details, metadata, message }: Body): Json {
    const { kind = "", group = "", name = "", causes = [], retryAfterSeconds } = details ?? {};
    const fields = causes
      .filter((cause: Body) => cause.field)
      .map((cause: Body): string => `${cause.field} ${cause.reason}`);
    return {
      failure: reason ?? "",
      [TEXT]: message ?? "",
      kind,
      group,
      name: this.#named(name, "name"),
      causes: [...new Set<string>(fields)].toSorted((a, b) => (a < b ? -1 : 1)),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(metadata?.continue ? { continue: true } : {}),
    };
  }

  /** Versions of one answer are new in their own order, whatever the order of the objects. */
  #learnVersions(body: Body): void {
    const found: string[] = [];
    const visit = (value: Body): void => {
      if (typeof value !== "object" || value === null) return;
      const { metadata } = value;
      if (typeof metadata?.resourceVersion === "string" && !isListMetadata(metadata))
        found.push(metadata.resourceVersion);
      for (const inner of Object.values(value)) visit(inner);
    };
    visit(body);
    for (const version of found.toSorted((a, b) => Number(a) - Number(b))) this.#version(version);
  }

  #version(version: string): string {
    let name = this.#versions.get(version);
    if (name === undefined) {
      const isOld = [...this.#versions.keys()].some((other) => Number(other) > Number(version));
      name = `version ${this.#versions.size + 1}${isOld ? ", late" : ""}`;
      this.#versions.set(version, name);
    }
    return name;
  }

  #text(text: string): string {
    return text
      .replaceAll(this.#namespace, "NS")
      .replace(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f-]{17}$/, (uid) => this.#uid(uid))
      .replace(/^202[4-9]-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, "TIME")
      .replace(/^\d+s$/, "AGE");
  }

  #uid(uid: string): string {
    const name = this.#uids.get(uid) ?? `uid ${this.#uids.size + 1}`;
    this.#uids.set(uid, name);
    return name;
  }

  #value(value: Body, member: string): Json {
    if (typeof value === "string") return this.#named(value, member);
    if (Array.isArray(value)) {
      if (member === "managedFields") return this.#entries(value);
      if (member === "resources") return inOrder(value).map((item) => this.#value(item, ""));
      return value.map((item) => this.#value(item, ""));
    }
    if (typeof value !== "object" || value === null) return value;
    const pairs = Object.entries(value).map(([name, inner]): [string, Json] => [
      this.#text(name),
      name === "resourceVersion" && isListMetadata(value) ? "VERSION" : this.#value(inner, name),
    ]);
    return Object.fromEntries(pairs.filter(([name, inner]) => !(name === "continue" && inner === "")));
  }

  #named(text: string, member: string): string {
    if (member === "resourceVersion") return this.#versions.get(text) ?? "VERSION";
    if (member === "continue") return text === "" ? "" : "TOKEN";
    const named = this.#text(text);
    return member === "name" ? named.replace(/^(gen-|Gen_)[a-z0-9]{5}$/, "$1XXXXX") : named;
  }

  /** As a set: by who owns, not by order. */
  #entries(entries: readonly Body[]): Json {
    return Object.fromEntries(
      entries.map(({ manager, operation, apiVersion, subresource, time, fieldsV1, fieldsType }) => [
        [manager, operation, subresource, apiVersion].filter((part) => part !== undefined).join(" "),
        { time: time !== undefined, fieldsType, fieldsV1: this.#value(fieldsV1, "") },
      ]),
    );
  }
}

/** Discovery of custom resources comes in no order. */
function inOrder(resources: readonly Body[]): readonly Body[] {
  return resources.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Lists and bookmarks; only objects have a name or uid. */
function isListMetadata(metadata: Body): boolean {
  return metadata.name === undefined && metadata.uid === undefined;
}

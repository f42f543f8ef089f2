import type { Kind } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { isObject, isText } from "./object-shape.ts";
import type { Calls, ServerClient } from "./verbs.ts";

const API_VERSION = /^(?:([a-z0-9.-]{1,253})\/)?([a-z0-9]{1,63})$/;

/** Asks the discovery API of a server which kinds it serves: its own, those of CRDs and of aggregated servers. */
export function createDiscovery(calls: Calls): Pick<ServerClient, "kinds"> {
  return {
    async kinds(apiVersion) {
      const [, group = "", version] = API_VERSION.exec(apiVersion) ?? [];
      if (version === undefined) return [];
      const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      const subject = { kind: listOf({ group, version }), verb: "get" } as const;
      try {
        const { resources } = await calls.document(subject, { method: "GET", path });
        return Array.isArray(resources) ? resources.flatMap((each) => kindIn(each, { group, version })) : [];
      } catch (error) {
        if (error instanceof KubeError && error.status === 404) return [];
        throw error;
      }
    },
  };
}

/** The document itself, for messages. */
function listOf(of: Pick<Kind, "group" | "version">): Kind {
  return { ...of, kind: "APIResourceList", plural: "apiresourcelists", namespaced: false };
}

/** Subresources, and kinds that only take questions, hold no object. */
function kindIn(resource: unknown, of: Pick<Kind, "group" | "version">): readonly Kind[] {
  if (!isObject(resource)) return [];
  const { name, kind, namespaced, verbs } = resource;
  if (!isText(name) || !isText(kind) || name.includes("/")) return [];
  const isStored = Array.isArray(verbs) && verbs.includes("patch");
  return isStored ? [{ ...of, kind, plural: name, namespaced: namespaced === true }] : [];
}

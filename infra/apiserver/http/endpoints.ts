import { coreVersions, groupDocument, groupList, resourceList, VERSION } from "./discovery.ts";
import type { Answered } from "./exchange.ts";
import { openapiDocument, openapiHash, openapiIndex } from "./openapi.ts";
import type { VirtualServer } from "./request.ts";

/** What the paths without resources need to know of a request. */
export interface EndpointRequest {
  readonly server: VirtualServer;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** `host:port` that the client used. */
  readonly host: string;
  readonly ifNoneMatch: string | undefined;
}

/** Health, version, discovery and OpenAPI; undefined when the path is none of them. */
export function endpoint(request: EndpointRequest): Answered | undefined {
  const { server, segments, host } = request;
  const { registry } = server;
  const [first = "", second, third, ...rest] = segments;
  if (rest.length > 0 && first !== "openapi") return undefined;
  switch (first) {
    case "healthz":
    case "livez":
    case "readyz":
      return { code: 200, text: "ok", contentType: "text/plain; charset=utf-8" };
    case "version":
      return document(VERSION);
    case "metrics":
      return metrics(server);
    case "api":
      if (second === undefined) return document(coreVersions(host));
      return third === undefined ? document(resourceList(registry, "", second)) : undefined;
    case "apis":
      if (second === undefined) return document(groupList(registry));
      return document(
        third === undefined ? groupDocument(registry, second) : resourceList(registry, second, third),
      );
    case "openapi":
      return second === "v3" ? openapi(request) : undefined;
    default:
      return undefined;
  }
}

function document(body: object | undefined): Answered | undefined {
  return body && { code: 200, text: JSON.stringify(body) };
}

/** A document under its present hash never changes; one under another hash has moved to the present one. */
function openapi({ server, segments, query, ifNoneMatch }: EndpointRequest): Answered | undefined {
  const hash = openapiHash(server.registry);
  const etag = `"${hash}"`;
  const asked = query.get("hash") ?? "";
  if (asked !== "" && asked !== hash) {
    return { code: 301, text: "", headers: { ETag: etag, Location: `/${segments.join("/")}?hash=${hash}` } };
  }
  if (ifNoneMatch === etag) return { code: 304, text: "", headers: { ETag: etag } };
  const [, , root, group = "", version = ""] = segments;
  const answer =
    root === undefined
      ? document(openapiIndex(server.registry))
      : document(
          openapiDocument(server.registry, root === "api" ? "" : group, root === "api" ? group : version),
        );
  const caching = asked === "" ? {} : { "Cache-Control": "public, immutable" };
  return answer && { ...answer, headers: { ETag: etag, ...caching } };
}

function metrics({ storage, registry }: VirtualServer): Answered {
  const lines = ["# TYPE apiserver_storage_objects gauge"];
  for (const type of registry.types) {
    const resource = type.group === "" ? type.plural : `${type.plural}.${type.group}`;
    lines.push(`apiserver_storage_objects{resource="${resource}"} ${storage.collection(type.id).size}`);
  }
  lines.push("# TYPE apiserver_storage_version counter", `apiserver_storage_version ${storage.version}`, "");
  return { code: 200, text: lines.join("\n"), contentType: "text/plain; version=0.0.4; charset=utf-8" };
}

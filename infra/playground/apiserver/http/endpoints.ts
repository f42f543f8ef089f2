import type { Answered, VirtualServer } from "../request/request.ts";
import { coreVersions, groupDocument, groupList, resourceList, rootPaths, VERSION } from "./discovery.ts";
import { openapiDocument, openapiHash, openapiIndex } from "./openapi.ts";

/** Parts of a request that the paths without resources read. */
export interface EndpointRequest {
  readonly server: VirtualServer;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** `host:port` that the client used. */
  readonly host: string;
  readonly accept: string;
  readonly ifNoneMatch: string | undefined;
}

/** Answers health, version, discovery and OpenAPI; undefined for other paths. */
export function endpoint(request: EndpointRequest): Answered | undefined {
  const { server, segments, host } = request;
  const { registry } = server;
  const [first = "", second, third, ...rest] = segments;
  if (rest.length > 0 && first !== "openapi") return undefined;
  switch (first) {
    case "":
      return second === undefined ? document(rootPaths(registry)) : undefined;
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
      return openapi(request);
    default:
      return undefined;
  }
}

function document(body: object | undefined): Answered | undefined {
  return body && { code: 200, text: JSON.stringify(body) };
}

const OPENAPI_V2_ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
/** The requested media type is malformed. */
const OPENAPI_V2_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/**
 * A document without kinds. kubectl wants one before it sends the items of a List, and then leaves their validation to
 * the server. In protobuf, which it alone takes: `swagger` (1), `info` (2) with `title` (1) and `version` (2).
 * Differs: the real server describes all kinds, and answers in JSON as well.
 */
function openapiV2({ accept }: EndpointRequest): Answered | undefined {
  if (!accept.includes(OPENAPI_V2_ASKED)) return undefined;
  const info = protobufText(1, "Kubernetes") + protobufText(2, VERSION.gitVersion);
  const text = protobufText(1, "2.0") + protobufText(2, info);
  return { code: 200, text, contentType: OPENAPI_V2_TYPE };
}

/** A field of at most 127 bytes of ASCII. */
function protobufText(field: number, text: string): string {
  return String.fromCharCode(field * 8 + 2, text.length) + text;
}

function openapi(request: EndpointRequest): Answered | undefined {
  const [, version, ...rest] = request.segments;
  if (version === "v2" && rest.length === 0) return openapiV2(request);
  return version === "v3" ? openapiV3(request) : undefined;
}

/** A document under its present hash never changes; one under another hash has moved to the present one. */
function openapiV3({ server, segments, query, ifNoneMatch }: EndpointRequest): Answered | undefined {
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

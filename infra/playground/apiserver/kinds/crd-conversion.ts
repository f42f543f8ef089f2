import { X509Certificate } from "node:crypto";
import { badRequest, type Cause } from "../errors/status-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { type KubeObject, listAt, objectAt, textAt } from "../objects/kube-object.ts";
import { REVIEW_VERSIONS } from "./conversion-review.ts";

/** Names of the fields before v1, which the real server uses in its complaints. */
const CLIENT_CONFIG = "spec.conversion.webhookClientConfig";
const VERSIONS = "spec.conversion.conversionReviewVersions";
const STRATEGIES = ["None", "Webhook"];

/** Returns `spec.conversion` with the port of a service that has none. */
export function withConversionDefaults(conversion: Json | undefined): Json {
  if (conversion === undefined) return { strategy: "None" };
  const webhook = objectAt(isJsonObject(conversion) ? conversion : {}, "webhook");
  const clientConfig = objectAt(webhook, "clientConfig");
  if (!isJsonObject(conversion) || !isJsonObject(clientConfig["service"])) return conversion;
  const service = { port: 443, ...clientConfig["service"] };
  return { ...conversion, webhook: { ...webhook, clientConfig: { ...clientConfig, service } } };
}

/**
 * Returns the problems of `spec.conversion` of a CRD; `live` is the CRD that it replaces. Throws StatusError 400 for a
 * caBundle that is not base64.
 * Source: Kubernetes v1.34, apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
 */
export function conversionCauses(crd: KubeObject, live: KubeObject | undefined): Cause[] {
  const conversion = conversionOf(crd);
  const strategy = textAt(conversion, "strategy");
  const webhook = conversion["webhook"];
  const { clientConfig } = objectAt(conversion, "webhook");
  if (strategy === "Webhook") {
    return [...clientConfigCauses(clientConfig, live), ...versionsCauses(objectAt(conversion, "webhook"))];
  }
  const causes: Cause[] = [];
  if (strategy === "") causes.push(required("spec.conversion.strategy"));
  else if (!STRATEGIES.includes(strategy)) {
    const message = `Unsupported value: "${strategy}": supported values: "None", "Webhook"`;
    causes.push({ reason: "FieldValueNotSupported", message, field: "spec.conversion.strategy" });
  }
  const message = "Forbidden: should not be set when strategy is not set to Webhook";
  const forbid = (field: string) => causes.push({ reason: "FieldValueForbidden", message, field });
  if (clientConfig !== undefined) forbid(CLIENT_CONFIG);
  if (isJsonObject(webhook) && listAt(webhook, "conversionReviewVersions").length > 0) forbid(VERSIONS);
  return causes;
}

function conversionOf(crd: KubeObject | undefined): JsonObject {
  return objectAt(objectAt(crd, "spec"), "conversion");
}

function required(field: string, text?: string): Cause {
  return { reason: "FieldValueRequired", message: `Required value${text ? `: ${text}` : ""}`, field };
}

function invalid(field: string, value: Json, text: string): Cause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${JSON.stringify(value)}: ${text}`, field };
}

function clientConfigCauses(clientConfig: Json | undefined, live: KubeObject | undefined): Cause[] {
  if (!isJsonObject(clientConfig))
    return [required(CLIENT_CONFIG, "required when strategy is set to Webhook")];
  const { url, service } = clientConfig;
  const bundleProblems = bundleCauses(textAt(clientConfig, "caBundle"), live);
  if ((url === undefined) === (service === undefined)) {
    return [required(CLIENT_CONFIG, "exactly one of url or service is required"), ...bundleProblems];
  }
  const found = isJsonObject(service) ? serviceCauses(service) : urlCauses(String(url));
  return [...found, ...bundleProblems];
}

const URL_PARTS =
  /^(?<scheme>[A-Za-z][-+.A-Za-z0-9]*):(\/\/((?<user>[^/?#@]*)@)?(?<host>[^/?#]*))?[^?#]*(\?(?<query>[^#]*))?(#(?<fragment>.*))?$/;

function urlCauses(url: string): Cause[] {
  const field = `${CLIENT_CONFIG}.url`;
  const form = "; desired format: https://host[/path]";
  const parts = URL_PARTS.exec(url)?.groups;
  if (!parts) {
    const problem = `parse ${JSON.stringify(url)}: missing protocol scheme`;
    return [required(field, `url must be a valid URL: ${problem}${form}`)];
  }
  const { scheme = "", host = "", user, query, fragment } = parts;
  return [
    ...(scheme.toLowerCase() === "https"
      ? []
      : [invalid(field, scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(host === "" ? [invalid(field, host, `host must be specified${form}`)] : []),
    ...(user === undefined ? [] : [invalid(field, user, "user information is not permitted in the URL")]),
    ...(fragment ? [invalid(field, fragment, "fragments are not permitted in the URL")] : []),
    ...(query ? [invalid(field, query, "query parameters are not permitted in the URL")] : []),
  ];
}

function serviceCauses(service: JsonObject): Cause[] {
  const field = `${CLIENT_CONFIG}.service`;
  const causes: Cause[] = [];
  // The real server takes one for the other in what it says.
  if (textAt(service, "name") === "") causes.push(required(`${field}.namespace`));
  if (textAt(service, "namespace") === "") causes.push(required(`${field}.name`));
  const port = Number(service["port"]);
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) {
    const text = "port is not valid: must be between 1 and 65535, inclusive";
    causes.push(invalid(`${field}.port`, service["port"] ?? 0, text));
  }
  const path = textAt(service, "path");
  if (path === "" || path === "/") return causes;
  const refuse = (text: string) => causes.push(invalid(`${field}.path`, path, text));
  if (!path.startsWith("/")) refuse("must start with a '/'");
  for (const [index, segment] of path.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (segment === "") refuse(`segment[${index}] may not be empty`);
  }
  return causes;
}

/** A new CRD may have a malformed bundle, and so may one that already had it. */
function bundleCauses(bundle: string, live: KubeObject | undefined): Cause[] {
  const odd = bundle.search(/[^A-Za-z0-9+/=\r\n]/);
  if (odd >= 0) {
    const problem = `illegal base64 data at input byte ${odd}`;
    throw badRequest(
      `CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: ${problem}`,
    );
  }
  const before = textAt(objectAt(objectAt(conversionOf(live), "webhook"), "clientConfig"), "caBundle");
  const isLenient = !live || (before !== "" && !holdsCertificate(before));
  if (bundle === "" || isLenient || holdsCertificate(bundle)) return [];
  const text = "unable to load root certificates: unable to parse bytes as PEM block";
  return [invalid(`${CLIENT_CONFIG}.caBundle`, bundle, text)];
}

function holdsCertificate(bundle: string): boolean {
  try {
    return new X509Certificate(Buffer.from(bundle, "base64")).raw.length > 0;
  } catch {
    return false;
  }
}

const VERSION_LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const VERSION_LABEL_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function versionsCauses(webhook: JsonObject): Cause[] {
  const versions = listAt(webhook, "conversionReviewVersions").map(String);
  if (versions.length === 0) return [required(VERSIONS)];
  const causes = versions.flatMap((version, index) => {
    const field = `${VERSIONS}[${index}]`;
    if (versions.indexOf(version) < index) return [invalid(field, version, "duplicate version")];
    return VERSION_LABEL.test(version) ? [] : [invalid(field, version, VERSION_LABEL_TEXT)];
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return causes;
  const text = `must include at least one of ${REVIEW_VERSIONS.join(", ")}`;
  return [...causes, invalid(VERSIONS, versions, text)];
}

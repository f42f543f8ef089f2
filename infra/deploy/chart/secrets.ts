import type { Manifest } from "../deployment.ts";
import { NAMESPACE } from "../manifests/deployments.ts";
import { type Authority, type Maker, secretsBy, VALID_DAYS } from "../manifests/secrets.ts";
import { templateOf, value, valueIf } from "./conditional.ts";

/** Annotation with the value of `secrets.renewal` by which something was made. */
export const RENEWAL = "capstan.dev/renewal";

/**
 * Returns the template of the Secrets that `capstan secrets` prints, made by Helm. Those that an earlier release has made
 * stay until the value `secrets.renewal` changes; the rights of the users of Redis are always those of this version.
 */
export async function secretsTemplate(): Promise<string> {
  const certificates = new Map<string, string[]>();
  const secrets = await secretsBy({
    authority: async (of) =>
      authority(of, (call) => certificates.set(of, [...(certificates.get(of) ?? []), call])),
    password: async (user) => ({ text: value(`$${user}`), hash: value(`sha256sum $${user}`) }),
  } satisfies Maker);
  const users = secrets.flatMap(({ metadata }) => userOf(metadata.name) ?? []);
  return [
    "{{- if $.Values.secrets.create }}\n",
    ...[...certificates].map(
      ([of, calls]) =>
        `{{- $${of} := include "capstan.issued" (dict "root" $ "authority" "capstan ${of}" "days" ${VALID_DAYS} "certificates" (list ${calls.join(" ")})) | fromJson }}\n`,
    ),
    ...users.map(
      (user) => `{{- $${user} := include "capstan.password" (dict "root" $ "user" "${user}") }}\n`,
    ),
    ...secrets.map(conditional),
    "{{- end }}\n",
  ].join("");
}

/** Returns an authority whose certificates are members of a variable of the template. */
function authority(of: string, ask: (call: string) => void): Authority {
  const from = (name: string, member: string) => value(`index $${of} "${name}" "${member}" | quote`);
  return {
    cert: value(`quote $${of}.ca`),
    async issue(name, use) {
      const { dns = [], ips = [] } = typeof use === "string" ? {} : use;
      const list = (texts: readonly string[]) => `(list ${texts.map(inNamespace).join(" ")})`;
      ask(`(dict "secret" "${name}" "dns" ${list(dns)} "ips" ${list(ips)})`);
      return { cert: from(name, "cert"), key: from(name, "key") };
    },
  };
}

/** Returns the expression of a name, which may hold that of the namespace. */
function inNamespace(name: string): string {
  const format = name.replace(NAMESPACE, "%s");
  return format === name ? `"${name}"` : `(printf "${format}" $.Release.Namespace)`;
}

function userOf(name: string): string | undefined {
  return /^capstan-(\w+)-queue$/.exec(name)?.[1];
}

/** Returns a Secret that is there while something reads it; without a Redis of the chart, with the URL of the values. */
function conditional(secret: Manifest): string {
  const { stringData, ...rest } = secret;
  const metadata = { ...rest.metadata, annotations: { [RENEWAL]: value("quote $.Values.secrets.renewal") } };
  const isQueue = userOf(rest.metadata.name) !== undefined;
  const content = isQueue ? { stringData: orOfValues(stringData as Connection) } : { stringData };
  const when = rest.metadata.name === "capstan-redis" ? [ENABLED] : [];
  return templateOf({ object: { ...rest, metadata, ...content }, when });
}

const ENABLED = "$.Values.redis.enabled";

/** Files of a Secret by which a process finds Redis. */
interface Connection {
  readonly url: string;
  readonly "ca.crt": string;
}

function orOfValues({ url, "ca.crt": ca }: Connection): Connection {
  return {
    url: valueIf(ENABLED, url, value("quote $.Values.queue.url")),
    "ca.crt": valueIf(ENABLED, ca, value("quote $.Values.queue.ca")),
  };
}

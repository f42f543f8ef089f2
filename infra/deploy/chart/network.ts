import type { Manifest } from "../deployment.ts";
import { COLLECTOR } from "../manifests/monitors.ts";
import { SCRAPERS } from "../manifests/network.ts";
import { itemsIf, line, value } from "./conditional.ts";

/** A NetworkPolicy with rules of one direction. */
interface Policy extends Manifest {
  readonly spec: {
    readonly egress?: readonly [Rule];
    readonly ingress?: readonly [Rule];
    readonly [more: string]: unknown;
  };
}

interface Rule {
  readonly to?: readonly unknown[];
  readonly ports?: readonly unknown[];
}

const POLICIES = "$.Values.networkPolicies";

/** Returns a NetworkPolicy with the address blocks, ports and namespaces of the values; other objects as they are. */
export function withNetworkValues(object: Manifest): Manifest {
  if (object.kind !== "NetworkPolicy") return object;
  const policy = object as Policy;
  const [rule = {}] = policy.spec.egress ?? [];
  const egress = (changed: Rule) => ({
    ...policy,
    spec: { ...policy.spec, egress: [{ ...rule, ...changed }] },
  });
  const within = (list: string) => blocksOr(list, rule.to ?? []);
  switch (policy.metadata.name) {
    case "capstan-api-server":
      return egress({
        to: within("apiServer"),
        ports: [
          ...portsOf(`range ${POLICIES}.apiServerPorts`, "."),
          ...itemsIf("if $.Values.proxy.url", [
            tcp('(urlParse $.Values.proxy.url).host | splitList ":" | last'),
          ]),
        ],
      });
    case "capstan-workload-clusters":
      return egress({ to: within("workloadClusters") });
    case "capstan-to-redis":
      return egress({
        to: itemsIf("if $.Values.redis.enabled", rule.to ?? [], blocksOr("redis", ANY_ADDRESS)),
        ports: itemsIf("if $.Values.redis.enabled", rule.ports ?? [], [tcp(`${POLICIES}.redisPort`)]),
      });
    case "capstan-dns":
      return swapped(object, ["kube-system"], value(`toJson ${POLICIES}.dnsNamespaces`));
    case "capstan-diagnostics":
      return swapped(object, SCRAPERS, value(`toJson ${POLICIES}.scrapers`));
    case "capstan-to-collector":
      return swapped(
        swapped(object, [COLLECTOR.namespace], value("list $.Values.traces.namespace | toJson")),
        COLLECTOR.port,
        value("$.Values.traces.port"),
      );
    default:
      return object;
  }
}

const ANY_ADDRESS = [{ ipBlock: { cidr: "0.0.0.0/0" } }, { ipBlock: { cidr: "::/0" } }];

/** Returns an object with another value in place of the one that the manifests have. */
function swapped(object: Manifest, from: unknown, to: unknown): Manifest {
  const [text, old] = [JSON.stringify(object), JSON.stringify(from)];
  if (!text.includes(old)) throw new Error(`bug: ${object.kind} ${object.metadata.name} has no ${old}`);
  return JSON.parse(text.replaceAll(old, JSON.stringify(to)));
}

/** Returns peers of these address blocks; `otherwise` where the list is empty. */
function blocksOr(list: string, otherwise: readonly unknown[]): readonly unknown[] {
  const blocks = [line(`range ${POLICIES}.${list}`), { ipBlock: { cidr: value("quote .") } }, line("end")];
  return itemsIf(`if ${POLICIES}.${list}`, blocks, otherwise);
}

function portsOf(range: string, port: string): readonly unknown[] {
  return [line(range), tcp(port), line("end")];
}

function tcp(port: string): object {
  return { port: value(port), protocol: "TCP" };
}

import type { HttpRequest, StreamedAnswer, Transport } from "../../../infra/platform/kube/transport.ts";
import type { Network } from "../../../infra/playground/network.ts";
import { type Defect, patched } from "./defect.ts";

/** Defects of requests and of the handling of answers. */
export const networkDefects: readonly Defect[] = [
  {
    number: "D-10",
    title: "a delete names no uid",
    target: { workload: "W-04", faults: [] },
    patch: () => ({
      network: (network) =>
        connecting(network, (transport) => ({
          send: (request, limitBytes, signal) => transport.send(withoutUid(request), limitBytes, signal),
        })),
    }),
  },
  {
    number: "D-14",
    title: "Retry-After is ignored",
    target: { workload: "W-01", faults: ["X-21"] },
    patch: () => ({
      network: (network) =>
        connecting(network, (transport) => ({
          async send(request, limitBytes, signal) {
            const answer = await transport.send(request, limitBytes, signal);
            return { ...answer, retryAfter: answer.retryAfter === undefined ? undefined : "0" };
          },
        })),
    }),
  },
  {
    number: "D-18",
    title: "a line of a watch that cannot be decoded is ignored",
    target: { workload: "W-01", faults: ["X-17"] },
    patch: () => ({
      network: (network) => lines(network, isEvent),
    }),
  },
];

/** The same network with other transports. */
export function connecting(network: Network, replace: (transport: Transport) => Partial<Transport>): Network {
  return {
    ...network,
    connect(access) {
      const transport = network.connect(access);
      return patched(transport, replace(transport));
    },
  };
}

function withoutUid(request: HttpRequest): HttpRequest {
  if (request.method !== "DELETE" || request.body === undefined) return request;
  const body = JSON.parse(request.body) as { readonly preconditions?: { readonly uid?: string } };
  return {
    ...request,
    body: JSON.stringify({ ...body, preconditions: { ...body.preconditions, uid: undefined } }),
  };
}

/** The same network whose watches have only some of their lines. */
export function lines(network: Network, isKept: (line: string) => boolean): Network {
  return connecting(network, (transport) => ({
    async open(request, signal) {
      const answer = await transport.open(request, signal);
      return request.path.includes("watch=") ? filtered(answer, isKept) : answer;
    },
  }));
}

/** A chunk is a line here. */
function filtered(answer: StreamedAnswer, isKept: (line: string) => boolean): StreamedAnswer {
  return {
    statusCode: answer.statusCode,
    headers: answer.headers,
    destroy: () => answer.destroy(),
    async *[Symbol.asyncIterator]() {
      for await (const chunk of answer) if (isKept(chunk.toString("utf8"))) yield chunk;
    },
  };
}

function isEvent(line: string): boolean {
  try {
    const { type } = JSON.parse(line) as { readonly type?: string };
    return ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"].includes(type ?? "");
  } catch {
    return false;
  }
}

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { readEnvironment } from "../platform/config.ts";

const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** The namespace of this Pod: from POD_NAMESPACE, then from the files of its account; outside of a Pod kube-system. */
export async function podNamespace(): Promise<string> {
  const { POD_NAMESPACE } = readEnvironment();
  if (POD_NAMESPACE !== undefined && POD_NAMESPACE !== "") return POD_NAMESPACE;
  return readFile(NAMESPACE_FILE, "utf8").then(
    (text) => text.trim(),
    () => "kube-system",
  );
}

/** The name of this process as a candidate of a Lease: in a Pod it begins with the name of the Pod. */
export function newIdentity(): string {
  return `${hostname()}_${randomUUID()}`;
}

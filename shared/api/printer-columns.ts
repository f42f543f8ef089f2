import type { PrinterColumn } from "./kinds.ts";

/** A column with the status of a condition; `priority` above 0: only in the wide table. */
export function conditionColumn(
  name: string,
  type: string,
  rest: Pick<PrinterColumn, "description" | "priority">,
): PrinterColumn {
  return { name, type: "string", jsonPath: `.status.conditions[?(@.type=="${type}")].status`, ...rest };
}

export function countColumn(name: string, jsonPath: string, description: string): PrinterColumn {
  return { name, type: "integer", jsonPath, description };
}

export const CLUSTER: PrinterColumn = {
  name: "Cluster",
  type: "string",
  jsonPath: ".spec.clusterName",
  description: "Cluster it belongs to",
};

export const PAUSED = conditionColumn("Paused", "Paused", {
  priority: 10,
  description: "Whether reconciliation is paused",
});

export const AGE: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since creation",
};

/** The version that new Machines of a template get. */
export const TEMPLATE_VERSION: PrinterColumn = {
  name: "Version",
  type: "string",
  jsonPath: ".spec.template.spec.version",
  description: "Kubernetes version wanted",
};

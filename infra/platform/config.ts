import * as z from "zod";

/** Accepts no value or a text: an empty one comes from a variable that was not set where it was copied from. */
const filled = z.string().min(1, "it is empty; give it a value, or unset it").optional();

const environmentSchema = z.object({
  KUBECONFIG: filled,
  HOME: z.string().default("/"),
  CAPSTAN_LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("warn"),
  CAPSTAN_QUEUE: z.string().optional(),
  CAPSTAN_QUEUE_FILE: z.string().optional(),
  CAPSTAN_REDIS_CA: z.string().optional(),
  CAPSTAN_REDIS_MAY_LOSE_DATA: z.enum(["true", "false", ""], "write true or false").optional(),
  /** The functions of a Lambda function without a command line: patterns with commas between them. */
  CAPSTAN_FUNCTIONS: z.string().optional(),
  CAPSTAN_LAMBDA_TIMEOUT_SECONDS: z.string().optional(),
  CAPSTAN_MAX_DELETIONS_PER_HOUR: z.string().optional(),
  CAPSTAN_NAMESPACE_RUNS_PER_SECOND: z.string().optional(),
  CAPSTAN_EKS_CLUSTER: filled,
  CAPSTAN_EKS_SERVER: z.string().optional(),
  CAPSTAN_EKS_CA: z.string().optional(),
  AWS_REGION: z.string().optional(),
  /** Set by AWS Lambda. */
  AWS_LAMBDA_RUNTIME_API: filled,
  HTTPS_PROXY: z.string().optional(),
  https_proxy: z.string().optional(),
  NO_PROXY: z.string().optional(),
  no_proxy: z.string().optional(),
  KUBEBUILDER_ASSETS: z.string().optional(),
  KUBERNETES_SERVICE_HOST: z.string().optional(),
  KUBERNETES_SERVICE_PORT: z.string().optional(),
  POD_NAMESPACE: z.string().optional(),
});

/** The variables as OpenTelemetry names them; an empty value counts as absent. */
const traceSchema = z.object({
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_CERTIFICATE: z.string().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.string().optional(),
  OTEL_TRACES_SAMPLER_ARG: z.string().optional(),
});
export type TraceVariables = z.infer<typeof traceSchema>;

export type Environment = z.infer<typeof environmentSchema>;

/** Reads environment variables; no other file does. Throws with the variable's name when a value is wrong. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const parsed = environmentSchema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`environment variable ${issue?.path.join(".")}: ${issue?.message}`);
}

/** Returns the variables of traces; undefined without an endpoint: then no code of traces is loaded. */
export function readTraceVariables(variables: NodeJS.ProcessEnv = process.env): TraceVariables | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = "" } = variables;
  return endpoint === "" ? undefined : traceSchema.parse(variables);
}

/** Values of `${…}` in files of providers, as clusterctl takes them from the environment. */
export function readVariables(): NodeJS.ProcessEnv {
  return process.env;
}

/** Source: k8s.io/apiserver, pkg/admission/plugin/webhook/errors (ErrCallingWebhook) */
const ADMISSION = /failed calling webhook "([\w.-]{1,253})"/;
/** Source: k8s.io/apiextensions-apiserver, pkg/apiserver/conversion/webhook_converter.go */
const CONVERSION = /conversion webhook for ([\w./-]{1,253}, Kind=\w{1,63}) failed: Post/;

/** Returns the webhook that an API server could not call, as people call it; undefined for other failures of a server. */
export function deadWebhook(message: string): string | undefined {
  const [, name] = ADMISSION.exec(message) ?? [];
  if (name !== undefined) return `webhook ${name}`;
  const [, kind] = CONVERSION.exec(message) ?? [];
  return kind === undefined ? undefined : `conversion webhook of ${kind}`;
}

/** The next step of a person whose API server refuses writes for it. */
export function reviveText(webhook: string): string {
  return `${webhook} does not answer: run its controller again, or delete its configuration (capstan takeover retire does it for Cluster API's manager)`;
}

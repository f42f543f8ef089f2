import { isIP } from "node:net";
import { type Command, InvalidArgumentError } from "commander";
import { newSecrets } from "../deploy/manifests/secrets.ts";
import { systemClock } from "../platform/clock.ts";
import { x509 } from "../platform/pki/x509.ts";
import { printSource } from "../platform/terminal/print.ts";
import { writeYaml } from "../platform/yaml/write-yaml.ts";
import { parsePort } from "./options.ts";

interface SecretsFlags {
  readonly namespace?: string;
  readonly redisHost?: string;
  readonly redisPort?: number;
}

export function secretsCommand(command: Command): Command {
  return command
    .option("--namespace <namespace>", "namespace of the deployment (default: capstan-system)", parseName)
    .option(
      "--redis-host <host>",
      "name or address of Redis (default: capstan-redis.NAMESPACE.svc)",
      parseHost,
    )
    .option("--redis-port <port>", "port of Redis (default: 6379)", parsePort)
    .addHelpText(
      "after",
      "\nExamples:\n  capstan secrets | kubectl apply --server-side --filename=-\n  capstan secrets --redis-host redis.example.com | kubectl apply --server-side --filename=-",
    )
    .action(async (flags: SecretsFlags) => {
      const secrets = await newSecrets({ ...flags, pki: x509, now: systemClock.now() });
      printSource(secrets.map((secret) => writeYaml(secret)).join("---\n"));
    });
}

/** Parses a label of RFC 1123. */
function parseName(text: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError("write the name of a namespace: lower-case letters, digits and -");
}

/** It becomes part of a URL and of a certificate. */
function parseHost(text: string): string {
  if (isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text)) return text;
  throw new InvalidArgumentError("write a DNS name or an IP address");
}

import * as z from "zod";
import { explainedSchema } from "./api/explained.ts";
import { sessionRequestSchema, sessionSchema } from "./api/me.ts";
import { errorSchema, streamMessageSchema, streamQuerySchema } from "./api/page.ts";
import type { Route } from "./routes/route.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  readonly contentType?: string;
}

/** Paths that the server answers itself: they come before a viewer is known, or do not end. */
const OWN: readonly Operation[] = [
  {
    method: "POST",
    path: "/session",
    summary: "Opens a session for the code of the link, or for the bearer token of the header Authorization.",
    body: sessionRequestSchema,
    answer: sessionSchema,
  },
  {
    method: "GET",
    path: "/stream",
    summary: "Sends the answers of up to eight paths, and each again when it changes, at most once a second.",
    query: streamQuerySchema,
    answer: streamMessageSchema,
    contentType: "text/event-stream",
  },
];

/** Describes these routes as OpenAPI 3.1, the same on every machine. */
export function openApiOf(routes: readonly Route[]): object {
  const operations = [...OWN, ...routes.map(({ spec }): Operation => spec)];
  const paths = Map.groupBy(operations, ({ path }) => path);
  return {
    openapi: "3.1.0",
    info: {
      title: "Capstan console",
      version: "1",
      description:
        "Send Capstan-Session: KEY, or Authorization: Bearer TOKEN. A POST also needs Content-Type: application/json, Capstan-Action: 1 and Sec-Fetch-Site: same-origin.",
    },
    servers: [{ url: "/api/v1" }],
    paths: Object.fromEntries(
      [...paths].map(([path, all]) => [
        path,
        Object.fromEntries(all.map((one) => [one.method.toLowerCase(), described(one)])),
      ]),
    ),
    components: { schemas: componentsOf(operations) },
  };
}

/** Answers by name. An explained object holds others of its kind, which only a name can say. */
function componentsOf(operations: readonly Operation[]): object {
  const named = z.registry<{ id: string }>();
  named.add(errorSchema, { id: "Error" });
  named.add(explainedSchema, { id: "Explained" });
  for (const operation of operations) named.add(operation.answer, { id: nameOf(operation) });
  const { schemas } = z.toJSONSchema(named, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** Returns `GetQueueFunctionKeys` */
function nameOf({ method, path }: Operation): string {
  const words = `${method.toLowerCase()} ${path}`.match(/[a-z0-9]+/gi) ?? [];
  return words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join("");
}

function bare({ $schema: _, $id: __, ...schema }: z.core.JSONSchema.BaseSchema): object {
  return schema;
}

function described(operation: Operation): object {
  const { path, summary, query, body, contentType = JSON_TYPE } = operation;
  return {
    summary,
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [JSON_TYPE]: { schema: bare(z.toJSONSchema(body, { io: "input" })) } },
          },
        }),
    responses: {
      200: { description: "success", content: { [contentType]: referenceTo(nameOf(operation)) } },
      default: { description: "an error with the next step", content: { [JSON_TYPE]: referenceTo("Error") } },
    },
  };
}
const JSON_TYPE = "application/json";

function referenceTo(name: string): object {
  return { schema: { $ref: `#/components/schemas/${name}` } };
}

function pathParameters(path: string): readonly object[] {
  return [...path.matchAll(/\{(.*?)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1, maxLength: 480 },
  }));
}

function queryParameters(query: z.ZodType | undefined): readonly object[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: "input" });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

import { Redis } from "ioredis";

/** Every key of some databases with what it holds, as text. Redis also writes it to its own files. */
export async function contentOfRedis(url: string, databases: readonly number[]): Promise<string> {
  const client = new Redis(url);
  const texts: string[] = [];
  for (const database of databases) {
    await client.select(database);
    for await (const keys of client.scanStream({ count: 1_000 })) {
      for (const key of keys as readonly string[]) texts.push(key, await textOf(client, key));
    }
  }
  await client.save();
  client.disconnect();
  return texts.join("\n");
}

/** Leaves a text there, for the proof that it would be found. */
export async function plantInRedis(url: string, text: string): Promise<void> {
  const client = new Redis(url);
  await client.hset("planted", "field", text);
  client.disconnect();
}

async function textOf(client: Redis, key: string): Promise<string> {
  const type = await client.type(key);
  switch (type) {
    case "string":
      return (await client.get(key)) ?? "";
    case "hash":
      return Object.entries(await client.hgetall(key))
        .flat()
        .join("\n");
    case "list":
      return (await client.lrange(key, "0", "-1")).join("\n");
    case "set":
      return (await client.smembers(key)).join("\n");
    case "zset":
      return (await client.zrange(key, "0", "-1")).join("\n");
    case "stream":
      return JSON.stringify(await client.xrange(key, "-", "+"));
    case "none":
      // Expired meanwhile.
      return "";
    default:
      throw new Error(`${key} is a ${type}: say how to read it`);
  }
}

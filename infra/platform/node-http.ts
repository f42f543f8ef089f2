/**
 * Holds the part of node:http that processes use. An import of it reads all its exports, those for browsers among them,
 * and so loads undici: 10 MiB and some milliseconds of every process.
 */
export const { Agent, createServer, request } = process.getBuiltinModule("node:http");

import { searchQuerySchema, searchSchema } from "../api/search.ts";
import { defineRoute } from "./route.ts";

export const search = defineRoute(
  {
    method: "GET",
    path: "/search",
    summary: "Finds Clusters, objects, functions and dead letters by their names, best first.",
    needs: ["search"],
    query: searchQuerySchema,
    answer: searchSchema,
  },
  async ({ viewer: { sight }, query: { q }, ports }) => ({ items: await ports.search({ q, sight }) }),
);

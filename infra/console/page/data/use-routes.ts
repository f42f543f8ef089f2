import type { Me } from "../../api/me.ts";
import { useTopic } from "./hooks.ts";

/** Returns the viewer with the rights and the routes of the server; undefined until they are known. */
export function useMe(): Me | undefined {
  return useTopic<Me>("me").body;
}

/** Whether this server has a route, `GET /letter-groups`; undefined until that is known. */
export function useRoute(route: string): boolean | undefined {
  return useMe()?.routes.includes(route);
}

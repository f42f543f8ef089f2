import { expect, it } from "vitest";
import { environmentProxy } from "../../../../infra/platform/kube/environment-proxy.ts";

const PROXY = { HTTPS_PROXY: "http://proxy.corp:3128" };

it.each([
  ["https://api.example.com:6443", "", true],
  ["http://api.example.com", "", false],
  ["https://localhost:6443", "", false],
  ["https://127.0.0.1:6443", "", false],
  ["https://[::1]:6443", "", false],
  ["https://api.example.com:6443", "*", false],
  ["https://api.example.com:6443", "other.com, EXAMPLE.com", false],
  ["https://example.com", ".example.com", true],
  ["https://api.example.com", ".example.com", false],
  ["https://api.example.com", "*.example.com", false],
  ["https://badexample.com", "example.com", true],
  ["https://api.example.com:6443", "api.example.com:443", true],
  ["https://api.example.com", "api.example.com:443", false],
  ["https://10.96.0.1", "10.96.0.0/12,.svc", false],
  ["https://10.112.0.1", "10.96.0.0/12", true],
  ["https://10.96.0.1", "10.96.0.1", false],
  ["https://[fd00::1]:6443", "fd00::/8", false],
  ["https://[fd00::1]:6443", "[fd00::1]:6443", false],
])("KC-13: %s, with NO_PROXY %j, is reached through the proxy: %s", (server, except, proxied) => {
  const found = environmentProxy(new URL(server), { ...PROXY, NO_PROXY: except });
  expect(found?.href).toBe(proxied ? "http://proxy.corp:3128/" : undefined);
});

it("KC-13: small names of the variables and a proxy without a scheme count, and empty ones name none", () => {
  const server = new URL("https://api.example.com");
  expect(environmentProxy(server, { https_proxy: "proxy.corp:3128" })?.href).toBe("http://proxy.corp:3128/");
  expect(environmentProxy(server, { HTTPS_PROXY: "", https_proxy: "" })).toBeUndefined();
  expect(environmentProxy(server, { ...PROXY, no_proxy: "example.com" })).toBeUndefined();
  expect(() => environmentProxy(server, { HTTPS_PROXY: "ftp://p" })).toThrow(
    "environment variable HTTPS_PROXY: it is not the URL of a proxy; write http://",
  );
});

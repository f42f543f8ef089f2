import * as z from "zod";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "./conditions.ts";
import type { Kind, PrinterColumn } from "./kinds.ts";
import {
  contractReferenceSchema,
  dnsSubdomain,
  type Immutable,
  notEmpty,
  objectMetaSchema,
  text,
  typeMeta,
  type Validation,
  validations,
} from "./meta.ts";
import { AGE } from "./printer-columns.ts";

// Addresses that providers of infrastructure claim and providers of IPAM give. Both look for the kinds at their start and
// end without them; the core of Cluster API has no controller for them either.

const UNCHANGED: Validation = {
  rule: "self == oldSelf",
  message: "spec is immutable",
  reason: "FieldValueForbidden",
};

const nameSchema = (what: string) => z.object({ name: dnsSubdomain().describe(`Name of the ${what}.`) });
const poolSchema = () =>
  contractReferenceSchema().describe("The pool of addresses, an object of a provider of IPAM.");
const addressSchema = () => text(1, 39);

const ipAddressSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: z
        .object({
          claimRef: nameSchema("claim").describe("The IPAddressClaim that it is given to."),
          poolRef: poolSchema(),
          address: addressSchema().describe("The address, of either family."),
          prefix: z.int32().min(0).max(128).describe("Bits of the network, at most 32 of an IPv4 address."),
          gateway: addressSchema().optional().describe("Address of the gateway of the network."),
        })
        .describe("An address and its network. Cannot be changed.")
        // Differs: whether its claim names the same pool is not checked: no rule sees another object. An address with a
        // zone, or of IPv4 in the notation of IPv6, is refused; upstream takes it.
        .meta(
          validations(
            UNCHANGED,
            { rule: "isIP(self.address)", message: "must be a valid address", fieldPath: ".address" },
            {
              rule: "!has(self.gateway) || isIP(self.gateway)",
              message: "must be a valid address",
              fieldPath: ".gateway",
            },
            {
              rule: "self.address.contains(':') || self.prefix <= 32",
              message: "must be at most 32 for an IPv4 address",
              fieldPath: ".prefix",
            },
          ),
        ),
    })
    .describe("An address that a provider of IPAM has given to a claim.");

const ipAddressClaimSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: z
        .object({
          clusterName: text(1, 63).optional().describe("Name of the Cluster that the address is for."),
          poolRef: poolSchema(),
        })
        .describe("The pool of the claim. Cannot be changed.")
        .meta(validations(UNCHANGED)),
      status: notEmpty({
        conditions: conditionsSchema().optional(),
        addressRef: nameSchema("IPAddress").optional().describe("The IPAddress that was given."),
        deprecated: deprecatedSchema({ conditions: deprecatedStatusFields().conditions }),
      })
        .optional()
        .describe("Observed state of the claim. Written by its provider of IPAM."),
    })
    .describe("A wish for an address from a pool.");

function poolColumns(verb: string): readonly PrinterColumn[] {
  return (["Name", "Kind"] as const).map((part) => ({
    name: `Pool ${part}`,
    type: "string",
    jsonPath: `.spec.poolRef.${part.toLowerCase()}`,
    description: `${part} of the pool that the address ${verb} from`,
  }));
}

const IPAM = { group: "ipam.cluster.x-k8s.io", version: "v1beta2", namespaced: true } as const;

/** An address of a pool; schema-compatible with Cluster API v1.14's v1beta2. */
export type IPAddress = Immutable<z.infer<ReturnType<typeof ipAddressSchema>>>;
export const IPAddress: Kind<IPAddress> = {
  ...IPAM,
  kind: "IPAddress",
  plural: "ipaddresses",
  schema: ipAddressSchema,
  crd: {
    categories: ["cluster-api"],
    status: false,
    printerColumns: [
      { name: "Address", type: "string", jsonPath: ".spec.address", description: "The address" },
      ...poolColumns("is"),
      AGE,
    ],
  },
};

/** A claim of an address; schema-compatible with Cluster API v1.14's v1beta2. */
export type IPAddressClaim = Immutable<z.infer<ReturnType<typeof ipAddressClaimSchema>>>;
export const IPAddressClaim: Kind<IPAddressClaim> = {
  ...IPAM,
  kind: "IPAddressClaim",
  plural: "ipaddressclaims",
  schema: ipAddressClaimSchema,
  crd: {
    categories: ["cluster-api"],
    status: true,
    printerColumns: [...poolColumns("is wanted"), AGE],
  },
};

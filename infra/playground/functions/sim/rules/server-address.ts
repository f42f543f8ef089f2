/** The fields of a SimServer that say where it listens. */
export const ADDRESS_FIELDS = ["status.host", "status.port"] as const;

/** The field under which a provider publishes that address. */
export const ENDPOINT_FIELDS = ["spec.controlPlaneEndpoint"] as const;

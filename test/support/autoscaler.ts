/** The fields of a ScaledObject that decide about replicas. */
export interface ScaledObject {
  readonly spec: {
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly fallback: {
      readonly failureThreshold: number;
      readonly replicas: number;
      readonly behavior: string;
    };
    readonly advanced: {
      readonly horizontalPodAutoscalerConfig: { readonly behavior: { readonly scaleDown: ScaleDown } };
    };
    readonly triggers: readonly [Trigger];
  };
}

interface ScaleDown {
  readonly stabilizationWindowSeconds: number;
  readonly policies: readonly [
    { readonly type: string; readonly value: number; readonly periodSeconds: number },
  ];
}

interface Trigger {
  readonly type: string;
  readonly metricType: string;
  readonly metadata: {
    readonly url: string;
    readonly valueLocation: string;
    readonly targetValue: string;
  };
}

interface AutoscalerOptions {
  readonly scaledObject: ScaledObject;
  /** Sends the GET of a trigger; KEDA asks the URL of the trigger as it is. */
  readonly ask: (url: URL) => Promise<{ readonly status: number; readonly body: string }>;
  /** In seconds of its own time, which tests let pass faster. */
  readonly nowSeconds: () => number;
}

/** Replicas that it has set before, and how many more or fewer they were. */
interface Change {
  readonly at: number;
  readonly by: number;
}

/** How often the HorizontalPodAutoscaler looks. */
export const SYNC_SECONDS = 15;
/** The time without a value above 0 after which KEDA ends the last replica, where none is the least (`cooldownPeriod`). */
const COOLDOWN_SECONDS = 300;
const TOLERANCE = { down: 0.9, up: 1 + 0.1 };
/** Scaling out without `behavior.scaleUp`: the larger of the two, each 15 s. */
const UP = { percent: 100, pods: 4, periodSeconds: 15 };

/**
 * Acts on a ScaledObject with one trigger `metrics-api` as KEDA 2.20.2 and the HorizontalPodAutoscaler of Kubernetes
 * 1.34.2 do. Read in their sources: metrics_api_scaler.go, scale_scaledobjects.go and fallback.go of KEDA,
 * horizontal.go and replica_calculator.go of Kubernetes.
 */
export class Autoscaler {
  readonly #options: AutoscalerOptions;
  readonly #recommended: { readonly at: number; readonly replicas: number }[] = [];
  readonly #changes: Change[] = [];
  #failures = 0;
  #activeAt = Number.NEGATIVE_INFINITY;

  constructor(options: AutoscalerOptions) {
    const { fallback, triggers } = options.scaledObject.spec;
    const [{ type, metricType }] = triggers;
    const known = `${type} ${metricType} ${fallback.behavior}`;
    if (known !== "metrics-api AverageValue currentReplicasIfHigher") throw new Error(`unknown: ${known}`);
    this.#options = options;
  }

  /** One look: returns the replicas from now on. */
  async sync(current: number): Promise<number> {
    const metric = await this.#metric(current);
    // Without a metric the HorizontalPodAutoscaler changes nothing.
    if (metric === undefined) return current;
    const { minReplicaCount, maxReplicaCount } = this.#options.scaledObject.spec;
    const now = this.#options.nowSeconds();
    if (metric > 0) this.#activeAt = now;
    if (minReplicaCount === 0 && now - this.#activeAt >= COOLDOWN_SECONDS) return 0;
    if (current === 0) return 1;
    const stable = this.#stabilized(current, this.#proposed(current, inThousandths(metric)));
    const least = Math.max(1, minReplicaCount);
    const limited = Math.min(maxReplicaCount, Math.max(least, this.#limited(current, stable)));
    if (limited !== current) this.#changes.push({ at: now, by: limited - current });
    return limited;
  }

  async #metric(current: number): Promise<number | undefined> {
    const { fallback, triggers } = this.#options.scaledObject.spec;
    const [{ metadata }] = triggers;
    try {
      const value = await this.#value();
      this.#failures = 0;
      return value;
    } catch {
      this.#failures += 1;
      if (this.#failures <= fallback.failureThreshold) return undefined;
      return Math.max(current, fallback.replicas) * Number(metadata.targetValue);
    }
  }

  /** As KEDA reads it: any status but 200, and any value but a number, is an error. */
  async #value(): Promise<number> {
    const { url, valueLocation } = this.#options.scaledObject.spec.triggers[0].metadata;
    const { status, body } = await this.#options.ask(new URL(url));
    if (status !== 200) throw new Error(`api returned ${status}`);
    const value: unknown = Reflect.get(JSON.parse(body), valueLocation);
    if (typeof value !== "number") throw new Error(`${valueLocation} is not a number`);
    return value;
  }

  #proposed(current: number, metric: number): number {
    const target = Number(this.#options.scaledObject.spec.triggers[0].metadata.targetValue);
    const ratio = metric / (target * current);
    return ratio >= TOLERANCE.down && ratio <= TOLERANCE.up ? current : Math.ceil(metric / target);
  }

  /** Not below what was recommended within the window. */
  #stabilized(current: number, proposed: number): number {
    const now = this.#options.nowSeconds();
    const since = now - this.#scaleDown.stabilizationWindowSeconds;
    const recent = this.#recommended.filter(({ at }) => at > since);
    this.#recommended.splice(0, Infinity, ...recent, { at: now, replicas: proposed });
    const highest = Math.max(proposed, ...recent.map(({ replicas }) => replicas));
    return proposed >= current ? proposed : Math.min(current, highest);
  }

  #limited(current: number, wanted: number): number {
    if (wanted > current) {
      const before = current - this.#changed(UP.periodSeconds);
      const most = Math.max(before + UP.pods, Math.ceil(before * (1 + UP.percent / 100)));
      return Math.min(wanted, Math.max(most, current));
    }
    const [{ value, periodSeconds }] = this.#scaleDown.policies;
    const before = current - this.#changed(periodSeconds);
    return Math.max(wanted, Math.min(Math.trunc(before * (1 - value / 100)), current));
  }

  #changed(periodSeconds: number): number {
    const since = this.#options.nowSeconds() - periodSeconds;
    return this.#changes.reduce((sum, { at, by }) => (at > since ? sum + by : sum), 0);
  }

  get #scaleDown(): ScaleDown {
    return this.#options.scaledObject.spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown;
  }
}

/** A quantity of Kubernetes, as the HorizontalPodAutoscaler gets it. */
function inThousandths(value: number): number {
  return Math.trunc(value * 1_000) / 1_000;
}

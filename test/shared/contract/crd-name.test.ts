import { describe, expect, it } from "vitest";
import { crdNameOf } from "../../../shared/contract/crd-name.ts";

/** As gobuffalo/flect v1.0.3 forms them. */
const PLURALS = `
  AWSMachinePool awsmachinepools, KThreesControlPlane kthreescontrolplanes,
  CK8sControlPlane ck8scontrolplanes, RosaRoleConfig rosaroleconfigs, VSphereIdentity vsphereidentities,
  Metal3Data metal3data, Metal3DataTemplate metal3datatemplates, FooProxy fooproxies,
  FooGateway foogateways, FooBus foobuses, FooStatus foostatuses, FooClass fooclasses, FooDNS foodns,
  FooAddress fooaddresses, FooBox fooboxes, FooMesh foomeshes, FooBatch foobatches, FooQuiz fooquizzes,
  FooLeaf fooleaves, FooKnife fooknives, FooHero fooheroes, FooPhoto foophotos, FooSeries fooseries,
  FooIndex fooindices, FooMatrix foomatrices, FooAnalysis fooanalyses, FooPolicy foopolicies,
  FooPods foopods, FooPerson foopeople, FooOS fooos, FooAxis fooaxis, FooAlias fooalias, FooSafe foosaves,
  FooRadius fooradii, FooInfo fooinfoes, FooHealth foohealths, FooPath foopaths, Child children,
  Person people, Media media, Series series, Quota quotas, Axis axes, Alias aliases, Bureaux bureaux,
  FooChild foochildren, FooMan foomen, FooHuman foohumans, FooBase foobases, FooMedia foomedia,
  FooEquipment fooequipment, FooInformation fooinformation, FooWolf foowolves, FooNative foonatives,
  FooTive footives, FooDay foodays, FooSynthesis foosyntheses, FooFez foofezzes, FooWaltz foowaltzes,
  FooRadio fooradios, FooZoo foozoos, FooPiano foopianos, FooStadium foostadiums, FooPodium foopodia,
  FooPlateau fooplateaux, FooFormula fooformulas, FooNebula foonebulae, FooIndices fooindices,
  FooNews foonews, Ox oxen, FooOx foooxes`;

describe("crdNameOf", () => {
  it.each(PLURALS.split(",").map((pair) => pair.trim().split(" ") as [string, string]))(
    "%s is %s",
    (kind, plural) => {
      expect(crdNameOf("infrastructure.cluster.x-k8s.io", kind)).toBe(
        `${plural}.infrastructure.cluster.x-k8s.io`,
      );
    },
  );
});

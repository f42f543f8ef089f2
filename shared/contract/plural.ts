/*
 * English plurals as the library gobuffalo/flect v1.0.3 forms them: core and clusterctl compute the names of CRDs by it,
 * mistakes included (`bulae`), so the words and their order are facts to keep. Words of upper case are left out: the input is a kind in
 * lower case.
 */

/** Singular and plural; of the later of two that end a longer word, the plural counts. */
const WORDS = pairsOf(`
  aircraft aircraft, beef beef, bison bison, blues blues, chassis chassis, deer deer, fish fish, moose moose,
  police police, salmon salmon, series series, sheep sheep, shrimp shrimp, species species, swine swine,
  trout trout, tuna tuna, you you, child children, foot feet, goose geese, man men, human humans, mouse mice,
  tooth teeth, woman women, person people, adieu adieux, fabliau fabliaux, bureau bureaus, criterion criteria,
  ganglion ganglia, lexicon lexica, mitochondrion mitochondria, noumenon noumena, phenomenon phenomena,
  taxon taxa, media media, medium media, stadium stadiums, aquarium aquaria, auditorium auditoria,
  symposium symposia, curriculum curriculums, quota quotas, alumnus alumni, bacillus bacilli, cactus cacti,
  coccus cocci, focus foci, locus loci, nucleus nuclei, octopus octupuses, radius radii, syllabus syllabi,
  corpus corpora, genus genera, alumna alumnae, vertebra vertebrae, differentia differentiae, minutia minutiae,
  vita vitae, larva larvae, postcava postcavae, praecava praecavae, uva uvae, apex apices, codex codices,
  index indices, latex latices, vertex vertices, vortex vortices, appendix appendices, radix radices,
  helix helices, crisis crises, ellipsis ellipses, genesis geneses, oasis oases, thesis theses, testis testes,
  base bases, basis bases, vedalia vedalias, abuse abuses, cause causes, clause clauses, cruse cruses,
  excuse excuses, fuse fuses, house houses, misuse misuses, muse muses, pause pauses, ache aches, topaz topazes,
  buffalo buffaloes, potato potatoes, tomato tomatoes, equipment equipment, information information, jeans jeans,
  money money, news news, rice rice, dwarf dwarfs, hoof hoofs, thief thieves, chive chives, hive hives,
  move moves, movie movies, cookie cookies, pretorium pretoriums, agenda agendas, formula formulas, shoe shoes,
  graffiti graffiti`);

/** Words that count only where they are the whole kind: `FooAxis` keeps its form. */
const WHOLE_WORDS = pairsOf("ox oxen, louse lice, die dice, axis axes, alias aliases, use uses, toe toes");

/** Second plurals of whole words: a kind that has one keeps it. */
const OTHER_PLURALS = `beefs fishes salmons shrimps swines trouts tunas adieus bureaux ganglions lexicons mitochondrions
  stadia aquariums auditoriums symposiums curricula alumnuses cactuses focuses locuses nucleuses octopi radiuses
  corpuses apexes codexes indexes latexes vertexes vortexes appendixes radixes helixes buffalos dwarves hooves formulae`;

/** Endings; the first that matches counts. */
const ENDINGS = pairsOf(`
  tive tives, eaf eaves, oaf oaves, afe aves, arf arves, rfe rves, rf rves, lf lves, fe ves,
  ay ays, ey eys, oy oys, quy quies, uy uys, y ies, eau eaux,
  bula bulae, dula bulae, lula bulae, nula bulae, vula bulae, hedron hedra,
  ium ia, seum seums, eum ea, oum oa, stracum straca, dum da, elum ela, ilum ila, olum ola, ulum ula, llum lla,
  ylum yla, imum ima, ernum erna, gnum gna, brum bra, crum cra, terum tera, serum sera, trum tra, antum anta,
  atum ata, entum enta, etum eta, itum ita, otum ota, utum uta, ctum cta, ovum ova,
  trix trices, iasis iases, mesis meses, kinesis kineses, resis reses, gnosis gnoses, opsis opses, ysis yses,
  ouse ouses, lause lauses, us uses, ch ches, io ios, sh shes, ss sses, ez ezzes, iz izzes, tz tzes, zz zzes,
  ano anos, lo los, to tos, oo oos, o oes, x xes`);

type Pair = readonly [singular: string, plural: string];

const PLURAL_OF = new Map([...WORDS, ...WHOLE_WORDS]);
const PLURALS = new Set([...PLURAL_OF.values(), ...OTHER_PLURALS.split(/\s+/)]);
const RULES = [...WORDS.toReversed(), ...ENDINGS];

/**
 * Returns the plural of a kind in lower case, of at most 63 characters: `awsmachinepool` gives `awsmachinepools`,
 * `kthreescontrolplanes` stays. The whole text is one word.
 */
export function pluralOf(word: string): string {
  const known = PLURAL_OF.get(word);
  if (known !== undefined) return known;
  if (PLURALS.has(word)) return word;
  for (const [singular, plural] of RULES) {
    if (word.endsWith(plural)) return word;
    if (word.endsWith(singular)) return `${word.slice(0, -singular.length)}${plural}`;
  }
  return word.endsWith("s") ? word : `${word}s`;
}

function pairsOf(list: string): readonly Pair[] {
  return list.split(",").map((pair) => {
    const [singular = "", plural = ""] = pair.trim().split(" ");
    return [singular, plural];
  });
}

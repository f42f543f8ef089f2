/**
 * However much changes, however large an object is and however many persons look at it: an answer takes at most this
 * share of the time. A smaller one would show a change of an ordinary Cluster, which takes 80 ms, later than within two
 * seconds.
 */
export const MAX_SHARE = 1 / 10;

/**
 * In place of the package of this name, by which `@astronautlabs/jsonpath` evaluates the script expressions of a path (`$[?(...)]`): text of
 * a wallet, which reaches `Function` and `Object.prototype` whatever is done about it (CVE-2021-23334 has no fix). The service needs none.
 */
module.exports = () => {
  throw new Error('Script expressions in JSON paths are not evaluated')
}

/** Well-formed AnonCreds objects, for tests that do not sign or verify them. */

const POINT = '1 0A 1 0B 2 0C'

export const schemaOf = (issuerId: string, name = 'degree') => ({
  issuerId,
  name,
  version: '1.0',
  attrNames: ['degree', 'age'],
})

export const definitionOf = (issuerId: string, schemaId: string) => ({
  issuerId,
  schemaId,
  type: 'CL' as const,
  tag: 'default',
  value: {
    primary: { n: '11', s: '12', r: { degree: '13', age: '14', master_secret: '15' }, rctxt: '16', z: '17' },
    revocation: Object.fromEntries(
      ['g', 'g_dash', 'h', 'h0', 'h1', 'h2', 'htilde', 'h_cap', 'u', 'pk', 'y'].map((name) => [name, POINT]),
    ),
  },
})

export const registryOf = (issuerId: string, credDefId: string, maxCredNum = 8) => ({
  issuerId,
  revocDefType: 'CL_ACCUM' as const,
  credDefId,
  tag: 'first',
  value: {
    publicKeys: { accumKey: { z: POINT } },
    maxCredNum,
    tailsLocation: 'https://example.org/tails/GDAh5Jdrp7G9kAY8GtbjPrEcKgDDB2MTUu8oG14QE992',
    tailsHash: 'GDAh5Jdrp7G9kAY8GtbjPrEcKgDDB2MTUu8oG14QE992',
  },
})

/** A list with these indexes revoked. */
export const listOf = (issuerId: string, revRegDefId: string, revoked: number[] = [], length = 8) => ({
  issuerId,
  revRegDefId,
  revocationList: Array.from({ length }, (_, index) => (revoked.includes(index) ? 1 : 0)),
  currentAccumulator: POINT,
})

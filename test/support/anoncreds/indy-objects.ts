/** Objects of an Indy issuer as an operator writes them, with keys that open nothing: for tests that only read and compare. */
import type { WriteRequest } from './indy-ledger.ts'

export const ISSUER = 'WgWxqztrNooG92RXvxSTWv'

export const KEYS = {
  primary: { n: '101', s: '102', r: { master_secret: '103', degree: '104', age: '105' }, rctxt: '106', z: '107' },
}

const POINT = '1 0A 2 0B'

export const REVOCABLE_KEYS = {
  ...KEYS,
  revocation: {
    ...{ g: POINT, g_dash: POINT, h: POINT, h0: POINT, h1: POINT, h2: POINT },
    ...{ htilde: POINT, h_cap: POINT, u: POINT, pk: POINT, y: POINT },
  },
}

export const TAILS = {
  publicKeys: { accumKey: { z: POINT } },
  tailsHash: '7Wdj3rrMCZ1R1M78H4xK5jxikmdUUGW2kbfJQ1HoEpK',
  tailsLocation: 'https://tails.example.org/7Wdj3',
}

export const schemaRequest = (name = 'degree', attr_names = ['degree', 'age'], identifier = ISSUER): WriteRequest => ({
  identifier,
  operation: { type: '101', data: { name, version: '1.0', attr_names } },
})

export const definitionRequest = (ref: number, tag = 'default', data: object = REVOCABLE_KEYS): WriteRequest => ({
  identifier: ISSUER,
  operation: { type: '102', ref, signature_type: 'CL', tag, data },
})

/** `issuanceType` is by default, as ever more registries are. */
export const registryRequest = (
  credDefId: string,
  maxCredNum = 10,
  issuanceType = 'ISSUANCE_BY_DEFAULT',
): WriteRequest => ({
  identifier: ISSUER,
  operation: {
    type: '113',
    id: `${ISSUER}:4:${credDefId}:CL_ACCUM:first`,
    credDefId,
    revocDefType: 'CL_ACCUM',
    tag: 'first',
    value: { issuanceType, maxCredNum, ...TAILS },
  },
})

export const entryRequest = (revocRegDefId: string, value: object): WriteRequest => ({
  identifier: ISSUER,
  operation: { type: '114', revocRegDefId, revocDefType: 'CL_ACCUM', value },
})

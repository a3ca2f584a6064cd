/**
 * Claim formats of DIF Presentation Exchange. The JSON-LD formats are evaluated; other formats are allowed beside them.
 * Wallets on Credo reject requests with formats that Credo does not know, so these are not sent.
 */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import { exactly, JsonObject, noArray, text } from './fields.ts'

const listOf = <Item extends v.GenericSchema<string>>(item: Item) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(50))

/** JWA names (RFC 7518, RFC 8037, RFC 8812). */
const Algorithms = listOf(
  v.picklist([
    ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
    ...(['ES256', 'ES256K', 'ES384', 'ES512', 'EdDSA'] as const),
  ]),
)

/** Linked data proof types that Credo knows. */
const PROOF_TYPES = [
  'Ed25519VerificationKey2018',
  'Ed25519Signature2018',
  'Ed25519Signature2020',
  'RsaSignature2018',
  'EcdsaSecp256k1Signature2019',
  'EcdsaSecp256k1RecoverySignature2020',
  'JsonWebSignature2020',
  'GpgSignature2020',
  'JcsEd25519Signature2020',
  'BbsBlsSignature2020',
  'Bls12381G2Key2020',
  'DataIntegrityProof',
] as const

const ProofTypes = listOf(v.picklist(PROOF_TYPES))

const Identifiers = listOf(text(128))

const Jwt = exactly({ alg: Algorithms })
const LinkedData = v.optional(exactly({ proof_type: Identifiers }))
const DataIntegrity = exactly({ proof_type: ProofTypes, cryptosuite: Identifiers })

/** Other formats that Credo knows. */
const OTHERS = new Map<string, v.GenericSchema>([
  ...['jwt', 'jwt_vc', 'jwt_vc_json', 'jwt_vp', 'jwt_vp_json'].map((name) => [name, Jwt] as const),
  ...['di', 'di_vc', 'di_vp'].map((name) => [name, DataIntegrity] as const),
  [
    'vc+sd-jwt',
    exactly({ 'sd-jwt_alg_values': v.optional(Identifiers), 'kb-jwt_alg_values': v.optional(Identifiers) }),
  ],
])

const JSON_LD = { ldp: LinkedData, ldp_vc: LinkedData, ldp_vp: LinkedData }

export const ClaimFormats = noArray(v.objectWithRest(JSON_LD, JsonObject))

const knownTypes = (types: readonly string[]): readonly string[] => {
  const known = types.filter((type) => v.is(v.picklist(PROOF_TYPES), type))
  // An empty list would permit all types.
  return known.length > 0 ? known : types
}

/** The formats that Credo knows, each with the proof types that Credo knows, if there are any. */
export const knownFormats = (formats: object): object =>
  Object.fromEntries(
    Object.entries(formats).flatMap(([name, format]) => {
      if (!(name in JSON_LD)) return v.is(OTHERS.get(name) ?? v.never(), format) ? [[name, format]] : []
      const types = isObject(format) && Array.isArray(format.proof_type) ? format.proof_type : []
      return [[name, { proof_type: knownTypes(types) }]]
    }),
  )

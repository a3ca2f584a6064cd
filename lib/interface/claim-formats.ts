/** Claim formats of DIF Presentation Exchange, with the algorithms and proof types that Credo knows. */
import * as v from 'valibot'
import { exactly, text } from './fields.ts'

const listOf = <Item extends v.GenericSchema<string>>(item: Item) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(50))

/** JWA names (RFC 7518, RFC 8037, RFC 8812). */
const Algorithms = listOf(
  v.picklist([
    ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
    ...(['ES256', 'ES256K', 'ES384', 'ES512', 'EdDSA'] as const),
  ]),
)

/** Linked data proof types. */
const ProofTypes = listOf(
  v.picklist([
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
  ]),
)

const Identifiers = listOf(text(128))

const Jwt = v.optional(exactly({ alg: Algorithms }))
const LinkedData = v.optional(exactly({ proof_type: ProofTypes }))
const DataIntegrity = v.optional(exactly({ proof_type: ProofTypes, cryptosuite: Identifiers }))

export const ClaimFormats = exactly({
  jwt: Jwt,
  jwt_vc: Jwt,
  jwt_vc_json: Jwt,
  jwt_vp: Jwt,
  jwt_vp_json: Jwt,
  ldp: LinkedData,
  ldp_vc: LinkedData,
  ldp_vp: LinkedData,
  di: DataIntegrity,
  di_vc: DataIntegrity,
  di_vp: DataIntegrity,
  'vc+sd-jwt': v.optional(
    exactly({ 'sd-jwt_alg_values': v.optional(Identifiers), 'kb-jwt_alg_values': v.optional(Identifiers) }),
  ),
})

/** Proofs of possession of a wallet's keys: https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#appendix-F.1 */
import { AgentError } from '../errors.ts'
import { JoseError } from '../jose/errors.ts'
import { type PublicJwk, publicJwk, thumbprintOf } from '../jose/jwk.ts'
import { decodeJwt, verifyJwt } from '../jose/jwt.ts'
import { isObject, type JsonObject } from '../json.ts'

const MAX_AGE = 5 * 60
/** Characters. */
const MAX_LENGTH = 16 * 1024

export interface ProofRules {
  /** The Credential Issuer Identifier. */
  audience: string
  algorithms: readonly string[]
  /** Keys in one request. */
  batchSize: number
  /** Thumbprint of the key that signs the credentials. */
  issuerThumbprint: string
}

const invalid = (message: string) => new AgentError('oauth.invalid_proof', message)

/** The JWTs of the only type of proofs. */
const jwtsOf = (proofs: unknown, batchSize: number): unknown[] => {
  if (!isObject(proofs) || Object.keys(proofs).join() !== 'jwt') throw invalid('proofs must have the type jwt only')
  const { jwt } = proofs
  if (!Array.isArray(jwt) || jwt.length === 0) throw invalid('proofs.jwt must be a list of JWTs')
  if (jwt.length > batchSize) throw invalid(`proofs.jwt must have at most ${batchSize} keys`)
  return jwt
}

/** Other names of the key in a header. They are not allowed, because no DID or certificate is resolved. */
const OTHER_NAMES = ['kid', 'x5c', 'trust_chain']

const verifyProof = async (text: unknown, rules: ProofRules): Promise<{ jwk: PublicJwk; payload: JsonObject }> => {
  const { header } = decodeJwt(text, MAX_LENGTH)
  if (OTHER_NAMES.some((name) => Object.hasOwn(header, name))) throw invalid('a proof must name its key by jwk only')
  const { payload } = await verifyJwt(text, header.jwk, {
    typ: 'openid4vci-proof+jwt',
    algorithms: rules.algorithms,
    maxAge: MAX_AGE,
    required: ['aud', 'nonce'],
    maxLength: MAX_LENGTH,
  })
  // A list would let one proof serve several issuers.
  if (payload.aud !== rules.audience) throw invalid('a proof is for another audience')
  return { jwk: publicJwk(header.jwk), payload }
}

/**
 * The keys for which a request has proofs, and their common nonce, which the caller checks. Throws
 * `oauth.invalid_proof`.
 */
export const provenKeys = async (
  proofs: unknown,
  rules: ProofRules,
): Promise<{ keys: PublicJwk[]; nonce: unknown }> => {
  const keys = new Map<string, PublicJwk>()
  const nonces = new Set<unknown>()
  for (const jwt of jwtsOf(proofs, rules.batchSize)) {
    const { jwk, payload } = await verifyProof(jwt, rules).catch((error) => {
      throw error instanceof JoseError ? invalid(`a proof is not valid: ${error.message}`) : error
    })
    const thumbprint = thumbprintOf(jwk)
    if (keys.has(thumbprint)) throw invalid('a key occurs twice')
    if (thumbprint === rules.issuerThumbprint) throw invalid("a proof uses the issuer's own key")
    keys.set(thumbprint, jwk)
    nonces.add(payload.nonce)
  }
  const [nonce, ...others] = nonces
  if (others.length > 0) throw invalid('the proofs have different nonces')
  return { keys: [...keys.values()], nonce }
}

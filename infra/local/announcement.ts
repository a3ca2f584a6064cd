/**
 * Announces that the stage is ready: on the console for people, and by an IPC message for the program that started it.
 */
import type { Stage } from './stage.ts'

/** Validity of the announced token. */
const EXPIRES = '1d'

/** Sent to the parent process. */
export interface ReadyStage {
  baseUrl: string
  rootToken: string
  /** File of the certificate that its clients must trust. */
  certificate?: string | undefined
  dynamodbEndpoint: string
  sqsEndpoint: string
  tableName: string
}

/** A minimal proof request. */
const PROOF_REQUEST = {
  protocolVersion: 'v2',
  proofFormats: {
    presentationExchange: {
      presentationDefinition: {
        id: '43250004-a172-43ff-90c6-7004b856b85e',
        input_descriptors: [
          {
            id: 'degree',
            // Credo compares contexts and short types, ACA-Py the full IRIs of types.
            schema: [
              { uri: 'https://www.w3.org/2018/credentials/v1' },
              { uri: 'https://www.w3.org/2018/credentials#VerifiableCredential' },
            ],
            constraints: { fields: [{ path: ['$.credentialSubject.degree.name'] }] },
          },
        ],
      },
    },
  },
}

export const requestToPaste = (baseUrl: string, token: string, curl = 'curl'): string =>
  `${curl} -X POST ${baseUrl}/proofs/create-request-oob -H 'authorization: Bearer ${token}' -H 'content-type: application/json' -d '${JSON.stringify(PROOF_REQUEST)}'`

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const lines = ({ baseUrl, certificate, remarks }: Stage, token: string): string[] => {
  const curl = certificate === undefined ? 'curl' : `curl --cacert ${quoted(certificate)}`
  return [
    ...remarks,
    ...(certificate === undefined ? [] : [`Certificate: ${certificate} (for NODE_EXTRA_CA_CERTS and curl --cacert)`]),
    `Base URL:   ${baseUrl}`,
    `Root token: ${token}`,
    `Reference:  ${baseUrl}/docs`,
    `${curl} ${baseUrl}/health`,
    requestToPaste(baseUrl, token, curl),
    `${curl} ${baseUrl}/connections -H 'authorization: Bearer ${token}'`,
  ]
}

export const announce = async (stage: Stage): Promise<void> => {
  const rootToken = await stage.issuer.sign({ role: 'RestRootAgentWithTenants', expires: EXPIRES })
  console.log(lines(stage, rootToken).join('\n'))

  const { DYNAMODB_ENDPOINT = '', SQS_ENDPOINT = '', TABLE_NAME = '' } = stage.environment
  const ready: ReadyStage = {
    baseUrl: stage.baseUrl,
    rootToken,
    certificate: stage.certificate,
    dynamodbEndpoint: DYNAMODB_ENDPOINT,
    sqsEndpoint: SQS_ENDPOINT,
    tableName: TABLE_NAME,
  }
  process.send?.(ready)
}

/** The credentials and proof requests of the field's interop suite (OWF agent test harness), with the contexts that it names. */
import { CREDENTIALS_V1, VERIFIABLE_CREDENTIAL } from './requests.ts'

const BBS_V1 = 'https://w3id.org/security/bbs/v1'
const CITIZENSHIP_V1 = 'https://w3id.org/citizenship/v1'
const LICENSE = 'http://example.com/drivers-license#'

const LICENSE_CONTEXT = {
  dl: LICENSE,
  AATHDriversLicense: 'dl:AATHDriversLicense',
  address: 'dl:address',
  DL_number: 'dl:DL_number',
  expiry: 'dl:expiry',
  age: 'dl:age',
}

/** As a verifier names what the license needs; the other contexts the service carries. */
export const trustedContexts = { contexts: { 'urn:drivers-license': { '@context': LICENSE_CONTEXT } } }

export const license = (subject?: string) => ({
  '@context': [CREDENTIALS_V1, BBS_V1, LICENSE_CONTEXT],
  type: ['VerifiableCredential', 'AATHDriversLicense'],
  issuanceDate: '2026-01-01T12:00:00Z',
  credentialSubject: {
    address: '947 this street, Kingston Ontario Canada, K9O 3R5',
    DL_number: '09385029529385',
    expiry: '10/12/2022',
    age: '30',
    ...(subject !== undefined && { id: subject }),
  },
})

export const resident = (subject?: string) => ({
  '@context': [CREDENTIALS_V1, BBS_V1, CITIZENSHIP_V1],
  type: ['VerifiableCredential', 'PermanentResident'],
  id: 'https://credential.example.com/residents/1234567890',
  issuanceDate: '2026-01-01T12:00:00Z',
  credentialSubject: {
    type: ['PermanentResident'],
    givenName: 'ALICE',
    familyName: 'SMITH',
    gender: 'Female',
    birthCountry: 'Bahamas',
    birthDate: '1958-07-17',
    ...(subject !== undefined && { id: subject }),
  },
})

/** `presentation_request` of the harness: what ACA-Py takes as `dif`. */
const request = (proofType: string, descriptor: { id: string } & Record<string, unknown>) => ({
  options: { challenge: crypto.randomUUID(), domain: '4a39dc9992a' },
  presentation_definition: {
    id: crypto.randomUUID(),
    format: { ldp_vp: { proof_type: [proofType] } },
    input_descriptors: [descriptor],
  },
})

export const licenseRequest = (proofType: string) =>
  request(proofType, {
    id: 'drivers_license_input_1',
    name: "American Driver's License",
    schema: [{ uri: VERIFIABLE_CREDENTIAL }, { uri: `${LICENSE}AATHDriversLicense` }],
    constraints: { fields: [{ path: ['$.credentialSubject.address'], purpose: 'Please share your address' }] },
  })

export const residentRequest = (proofType: string) =>
  request(proofType, {
    id: 'citizenship_input_1',
    name: "EU Driver's License",
    schema: [{ uri: VERIFIABLE_CREDENTIAL }, { uri: 'https://w3id.org/citizenship#PermanentResident' }],
    constraints: {
      fields: [
        {
          path: ['$.credentialSubject.familyName'],
          purpose: 'Just making sure your family name is Smith',
          filter: { type: 'string', const: 'SMITH' },
        },
        { path: ['$.credentialSubject.givenName'], purpose: 'We also want to know your first name' },
      ],
    },
  })

/** The credentials and proof requests of the field's interop suite (OWF agent test harness), with the contexts that it names. */
import { CREDENTIALS_V1, VERIFIABLE_CREDENTIAL } from './requests.ts'

const LICENSE = 'http://example.com/drivers-license#'

export const LICENSE_CONTEXT = {
  dl: LICENSE,
  AATHDriversLicense: 'dl:AATHDriversLicense',
  address: 'dl:address',
  DL_number: 'dl:DL_number',
  expiry: 'dl:expiry',
  age: 'dl:age',
}

export const license = (subject?: string) => ({
  '@context': [CREDENTIALS_V1, LICENSE_CONTEXT],
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

/** `presentation_request` of the harness: what ACA-Py takes as `dif`. */
export const licenseRequest = (proofType: string) => ({
  options: { challenge: crypto.randomUUID(), domain: '4a39dc9992a' },
  presentation_definition: {
    id: crypto.randomUUID(),
    format: { ldp_vp: { proof_type: [proofType] } },
    input_descriptors: [
      {
        id: 'drivers_license_input_1',
        name: "American Driver's License",
        schema: [{ uri: VERIFIABLE_CREDENTIAL }, { uri: `${LICENSE}AATHDriversLicense` }],
        constraints: { fields: [{ path: ['$.credentialSubject.address'], purpose: 'Please share your address' }] },
      },
    ],
  },
})

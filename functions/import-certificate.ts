/** ImportCertificate: stores an externally issued certificate with its sealed key. */
import { command } from '../lib/http/command.ts'
import { ImportCertificate } from '../lib/interface/x509.ts'
import { sealedResponses } from '../lib/store/sealed-responses.ts'
import { importCertificate as storeCertificate } from '../lib/x509/import.ts'

export const importCertificate = command(ImportCertificate, {
  handle: ({ body, unit }) => storeCertificate(unit, body),
  codec: sealedResponses,
})

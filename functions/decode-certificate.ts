/** DecodeCertificate: shows what a certificate says. */
import { command } from '../lib/http/command.ts'
import { DecodeCertificate } from '../lib/interface/x509.ts'
import { readCertificate } from '../lib/x509/certificate.ts'
import { decodeCertificate as decode } from '../lib/x509/decode.ts'
import { withField } from '../lib/x509/field.ts'

export const decodeCertificate = command(DecodeCertificate, async ({ body }) =>
  decode(withField('certificate', () => readCertificate(body.certificate))),
)

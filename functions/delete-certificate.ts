/** DeleteCertificate: deletes a certificate with its key. */
import { command } from '../lib/http/command.ts'
import { DeleteCertificate } from '../lib/interface/x509.ts'
import { deleteCertificate as removeCertificate } from '../lib/x509/stored-certificates.ts'

export const deleteCertificate = command(DeleteCertificate, async ({ path, unit }) => {
  await removeCertificate(unit, path.certificateId)
  return undefined
})

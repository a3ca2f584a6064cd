/** CreateCertificate: makes a key with its certificate. */
import { command } from '../lib/http/command.ts'
import { CreateCertificate } from '../lib/interface/x509.ts'
import { createCertificate as makeCertificate } from '../lib/x509/create.ts'

export const createCertificate = command(CreateCertificate, ({ body, unit }) => makeCertificate(unit, body))

/** Errors of certificates in requests. */
import { invalidField } from '../errors.ts'
import { CertificateError } from './der.ts'

/** An error of a certificate becomes `request.invalid`, with the field that has it. */
export const withField = <T>(path: string, act: () => T): T => {
  try {
    return act()
  } catch (error) {
    if (error instanceof CertificateError) throw invalidField(path, `the certificate ${error.message}`)
    throw error
  }
}

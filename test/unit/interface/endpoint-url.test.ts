import { describe, expect, test } from 'vitest'
import { invalidEndpointReason } from '../../../lib/interface/webhooks.ts'

describe('an endpoint may be', () => {
  test.each([
    'https://example.org',
    'https://example.org/hook?a=b#c',
    'HTTPS://EXAMPLE.ORG/',
    'https://example.org:443/',
    'https://example.org:1024/',
    'https://example.org:65535/',
    'https://hooks.sub.example.co.uk/p/a/t/h',
    'https://münchen.example/hook',
    'https://example.org/a@b',
    'https://example.org/?mail=a@b.c',
    'https://1.example.org/',
  ])('%s', (address) => {
    expect(invalidEndpointReason(address, false)).toBeUndefined()
  })
})

describe('an endpoint may not be', () => {
  test.each([
    ['without TLS', 'http://example.org/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback in decimal', 'https://2130706433/'],
    ['loopback in hex', 'https://0x7f.1/'],
    ['loopback in octal', 'https://0177.0.0.1/'],
    ['loopback in short', 'https://127.1/'],
    ['loopback in full-width digits', 'https://１２７.０.０.１/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['IPv4 in IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['local', 'https://localhost/'],
    ['local', 'https://LOCALHOST/'],
    ['local', 'https://localhost./'],
    ['local', 'https://a.localhost/'],
  ])('%s: %s', (_, address) => {
    expect(invalidEndpointReason(address, false)).toEqual(expect.any(String))
  })

  test.each([
    ['of another scheme', 'ftp://example.org/'],
    ['of another scheme', 'javascript:alert(1)'],
    ['of another scheme', 'file:///etc/passwd'],
    ['of another scheme', 'data:text/plain,x'],
    ['no URL', 'example.org'],
    ['no URL', ''],
    ['no URL', 'https://'],
    ['no URL', 'https://exa mple.org/'],
    ['no URL', ' https://example.org/'],
    ['no URL', 'https://example.org/\n'],
    ['no URL', 'https://exam\tple.org/'],
    ['no URL', 'https://example.org/\u0000'],
    ['no URL', 'https:\\\\example.org\\'],
    ['with a user', 'https://user@example.org/'],
    ['with user and password', 'https://user:password@example.org/'],
    ['with empty credentials', 'https://@example.org/'],
    ['with empty credentials', 'https://:@example.org/'],
    ['at a low port', 'https://example.org:80/'],
    ['at a low port', 'https://example.org:22/'],
    ['at a low port', 'https://example.org:1023/'],
    ['at no port', 'https://example.org:0/'],
    ['at a port that does not exist', 'https://example.org:65536/'],
    ['an IPv4 address', 'https://93.184.216.34/'],
    ['the metadata service', 'https://169.254.169.254/latest/meta-data'],
    ['an IPv6 address', 'https://[2606:2800:220:1:248:1893:25c8:1946]/'],
    ['local', 'https://printer.local/'],
    ['local', 'https://metadata.google.internal/'],
    ['local', 'https://nas.home.arpa/'],
    ['local', 'https://router.lan/'],
    ['a bare name', 'https://intranet/'],
    ['a private address in decimal', 'https://3232235777/'],
    ['a private address in hex', 'https://0xc0.0xa8.1.1/'],
    ['inside', 'http://10.0.0.1/'],
    ['inside', 'http://169.254.169.254/'],
    ['inside', 'http://192.168.1.1:8080/'],
    ['inside', 'http://[fe80::1]/'],
    ['inside', 'http://user@localhost/'],
    ['inside', 'http://printer.local/'],
    ['inside', 'ftp://localhost/'],
    ['inside', 'http://example.org:22/'],
  ])('%s, on any stage: %s', (_, address) => {
    for (const local of [false, true]) expect(invalidEndpointReason(address, local)).toEqual(expect.any(String))
  })
})

describe('on the local stage an endpoint may also be', () => {
  test.each([
    'http://example.org/',
    'http://example.org:8080/',
    'http://localhost:3001/hook',
    'http://127.0.0.1:3001/hook',
    'http://127.0.0.2/',
    'http://[::1]:3001/',
    'https://localhost/',
  ])('%s', (address) => {
    expect(invalidEndpointReason(address, true)).toBeUndefined()
  })
})

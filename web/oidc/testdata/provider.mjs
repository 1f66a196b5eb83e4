// An OpenID provider for the tests: node provider.mjs REDIRECT_URI prints the issuer's address. Any password signs in whom it knows.
import {createServer} from 'node:http';
import Provider from 'oidc-provider';

const people = {
  ana: {tenant: 'acme', name: 'Ana', email: 'ana@example.com', email_verified: true, groups: ['finance', 'staff'], employee: 41},
  olga: {tenant: 'other', name: 'Olga', email: 'olga@example.com', email_verified: true, groups: ['finance']},
  nick: {tenant: 'acme', name: 'Nick', email: 'nick@example.com', email_verified: true, groups: ['guests']},
  una: {tenant: 'acme', name: 'Una', email: 'ana@example.com', email_verified: false, groups: 'staff'},
};

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{client_id: 'mooring', client_secret: 'a secret of the client', redirect_uris: [process.argv[2]]}],
    claims: {openid: ['sub', 'tenant', 'employee'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups']},
    conformIdTokenClaims: false,
    pkce: {required: () => true},
    findAccount: (ctx, id) => people[id] && {accountId: id, claims: () => ({sub: id, ...people[id]})},
  });
  server.on('request', provider.callback());
  console.log(issuer);
});

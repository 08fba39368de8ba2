"""The parameters of the standard curves, by document.

Values are in hexadecimal as the documents print them; the primes are those of
`residua.numbers.catalogue`. One entry stands for one curve; names of the same curve in other
documents are its aliases.

============ =========================================================================
source       document
============ =========================================================================
FIPS 186-4   NIST, Digital Signature Standard, 2013 (for P-192, which is for legacy use)
SP 800-186   NIST, Recommendations for Discrete Logarithm-based Cryptography, 2023, which
             FIPS 186-5 refers to
SEC 2 v1     Certicom, Recommended Elliptic Curve Domain Parameters, 2000; version 2 has
             dropped its fields below 192 bits, which are too short for new designs
SEC 2 v2     the same, version 2, 2010
RFC 5639     Brainpool standard curves, 2010
RFC 7748     Elliptic Curves for Security, 2016
============ =========================================================================
"""

from dataclasses import dataclass

from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.numbers.catalogue import find_modulus


@dataclass(frozen=True)
class NamedCurve:
    """A standard curve, its defining document and its other names."""

    curve: Curve
    source: str
    aliases: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The usual name."""
        return self.curve.name


def _number(value: int | str) -> int:
    return int(value, 16) if isinstance(value, str) else value


def _curve(
    name: str,
    *,
    source: str,
    aliases: tuple[str, ...] = (),
    prime: int | None = None,
    a: int | str,
    b: int | str,
    x: str,
    y: str,
    order: str,
    cofactor: int = 1,
) -> NamedCurve:
    """A short Weierstrass curve; its prime by the curve's name if it is not given."""
    prime = find_modulus(name).value if prime is None else prime
    numbers = (_number(a) % prime, *map(_number, (b, x, y, order)), cofactor)
    return NamedCurve(WeierstrassCurve(name, prime, *numbers), source, aliases)


CATALOGUE: tuple[NamedCurve, ...] = (
    _curve(
        "P-192",
        source="FIPS 186-4",
        aliases=("secp192r1", "prime192v1", "nistp192"),
        a=-3,
        b="64210519e59c80e70fa7e9ab72243049feb8deecc146b9b1",
        x="188da80eb03090f67cbf20eb43a18800f4ff0afd82ff1012",
        y="7192b95ffc8da78631011ed6b24cdd573f977a11e794811",
        order="ffffffffffffffffffffffff99def836146bc9b1b4d22831",
    ),
    _curve(
        "P-224",
        source="SP 800-186",
        aliases=("secp224r1", "nistp224"),
        a=-3,
        b="b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
        x="b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21",
        y="bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34",
        order="ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
    ),
    _curve(
        "P-256",
        source="SP 800-186",
        aliases=("secp256r1", "prime256v1", "nistp256"),
        a=-3,
        b="5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
        x="6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        y="4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        order="ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    ),
    _curve(
        "P-384",
        source="SP 800-186",
        aliases=("secp384r1", "nistp384"),
        a=-3,
        b=(
            "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe814112"
            "0314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef"
        ),
        x=(
            "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b98"
            "59f741e082542a385502f25dbf55296c3a545e3872760ab7"
        ),
        y=(
            "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147c"
            "e9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f"
        ),
        order=(
            "ffffffffffffffffffffffffffffffffffffffffffffffff"
            "c7634d81f4372ddf581a0db248b0a77aecec196accc52973"
        ),
    ),
    _curve(
        "P-521",
        source="SP 800-186",
        aliases=("secp521r1", "nistp521"),
        a=-3,
        b=(
            "51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e"
            "156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00"
        ),
        x=(
            "c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3db"
            "aa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66"
        ),
        y=(
            "11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c"
            "97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650"
        ),
        order=(
            "1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
            "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
        ),
    ),
    _curve(
        "secp112r1",
        source="SEC 2 v1",
        prime=(2**128 - 3) // 76439,
        a=-3,
        b="659ef8ba043916eede8911702b22",
        x="9487239995a5ee76b55f9c2f098",
        y="a89ce5af8724c0a23e0e0ff77500",
        order="db7c2abf62e35e7628dfac6561c5",
    ),
    _curve(
        "secp112r2",
        source="SEC 2 v1",
        prime=(2**128 - 3) // 76439,
        a="6127c24c05f38a0aaaf65c0ef02c",
        b="51def1815db5ed74fcc34c85d709",
        x="4ba30ab5e892b4e1649dd0928643",
        y="adcd46f5882e3747def36e956e97",
        order="36df0aafd8b8d7597ca10520d04b",
        cofactor=4,
    ),
    _curve(
        "secp128r1",
        source="SEC 2 v1",
        prime=2**128 - 2**97 - 1,
        a=-3,
        b="e87579c11079f43dd824993c2cee5ed3",
        x="161ff7528b899b2d0c28607ca52c5b86",
        y="cf5ac8395bafeb13c02da292dded7a83",
        order="fffffffe0000000075a30d1b9038a115",
    ),
    _curve(
        "secp128r2",
        source="SEC 2 v1",
        prime=2**128 - 2**97 - 1,
        a="d6031998d1b3bbfebf59cc9bbff9aee1",
        b="5eeefca380d02919dc2c6558bb6d8a5d",
        x="7b6aa5d85e572983e6fb32a7cdebc140",
        y="27b6916a894d3aee7106fe805fc34b44",
        order="3fffffff7fffffffbe0024720613b5a3",
        cofactor=4,
    ),
    _curve(
        "secp160k1",
        source="SEC 2 v1",
        a=0,
        b=7,
        x="3b4c382ce37aa192a4019e763036f4f5dd4d7ebb",
        y="938cf935318fdced6bc28286531733c3f03c4fee",
        order="100000000000000000001b8fa16dfab9aca16b6b3",
    ),
    _curve(
        "secp160r1",
        source="SEC 2 v1",
        a=-3,
        b="1c97befc54bd7a8b65acf89f81d4d4adc565fa45",
        x="4a96b5688ef573284664698968c38bb913cbfc82",
        y="23a628553168947d59dcc912042351377ac5fb32",
        order="100000000000000000001f4c8f927aed3ca752257",
    ),
    _curve(
        "secp160r2",
        source="SEC 2 v1",
        a=-3,
        b="b4e134d3fb59eb8bab57274904664d5af50388ba",
        x="52dcb034293a117e1f4ff11b30f7199d3144ce6d",
        y="feaffef2e331f296e071fa0df9982cfea7d43f2e",
        order="100000000000000000000351ee786a818f3a1a16b",
    ),
    _curve(
        "secp192k1",
        source="SEC 2 v2",
        a=0,
        b=3,
        x="db4ff10ec057e9ae26b07d0280b7f4341da5d1b1eae06c7d",
        y="9b2f2f6d9c5628a7844163d015be86344082aa88d95e2f9d",
        order="fffffffffffffffffffffffe26f2fc170f69466a74defd8d",
    ),
    _curve(
        "secp224k1",
        source="SEC 2 v2",
        a=0,
        b=5,
        x="a1455b334df099df30fc28a169a467e9e47075a90f7e650eb6b7a45c",
        y="7e089fed7fba344282cafbd6f7e319f7c0b0bd59e2ca4bdb556d61a5",
        order="10000000000000000000000000001dce8d2ec6184caf0a971769fb1f7",
    ),
    _curve(
        "secp256k1",
        source="SEC 2 v2",
        a=0,
        b=7,
        x="79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        y="483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
        order="fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    ),
    _curve(
        "brainpoolP160r1",
        source="RFC 5639",
        aliases=("bp160",),
        a="340e7be2a280eb74e2be61bada745d97e8f7c300",
        b="1e589a8595423412134faa2dbdec95c8d8675e58",
        x="bed5af16ea3f6a4f62938c4631eb5af7bdbcdbc3",
        y="1667cb477a1a8ec338f94741669c976316da6321",
        order="e95e4a5f737059dc60df5991d45029409e60fc09",
    ),
    _curve(
        "brainpoolP192r1",
        source="RFC 5639",
        aliases=("bp192",),
        a="6a91174076b1e0e19c39c031fe8685c1cae040e5c69a28ef",
        b="469a28ef7c28cca3dc721d044f4496bcca7ef4146fbf25c9",
        x="c0a0647eaab6a48753b033c56cb0f0900a2f5c4853375fd6",
        y="14b690866abd5bb88b5f4828c1490002e6773fa2fa299b8f",
        order="c302f41d932a36cda7a3462f9e9e916b5be8f1029ac4acc1",
    ),
    _curve(
        "brainpoolP224r1",
        source="RFC 5639",
        aliases=("bp224",),
        a="68a5e62ca9ce6c1c299803a6c1530b514e182ad8b0042a59cad29f43",
        b="2580f63ccfe44138870713b1a92369e33e2135d266dbb372386c400b",
        x="d9029ad2c7e5cf4340823b2a87dc68c9e4ce3174c1e6efdee12c07d",
        y="58aa56f772c0726f24c6b89e4ecdac24354b9e99caa3f6d3761402cd",
        order="d7c134aa264366862a18302575d0fb98d116bc4b6ddebca3a5a7939f",
    ),
    _curve(
        "brainpoolP256r1",
        source="RFC 5639",
        aliases=("bp256",),
        a="7d5a0975fc2c3057eef67530417affe7fb8055c126dc5c6ce94a4b44f330b5d9",
        b="26dc5c6ce94a4b44f330b5d9bbd77cbf958416295cf7e1ce6bccdc18ff8c07b6",
        x="8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262",
        y="547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997",
        order="a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7",
    ),
    _curve(
        "brainpoolP320r1",
        source="RFC 5639",
        aliases=("bp320",),
        a="3ee30b568fbab0f883ccebd46d3f3bb8a2a73513f5eb79da66190eb085ffa9f492f375a97d860eb4",
        b="520883949dfdbc42d3ad198640688a6fe13f41349554b49acc31dccd884539816f5eb4ac8fb1f1a6",
        x="43bd7e9afb53d8b85289bcc48ee5bfe6f20137d10a087eb6e7871e2a10a599c710af8d0d39e20611",
        y="14fdd05545ec1cc8ab4093247f77275e0743ffed117182eaa9c77877aaac6ac7d35245d1692e8ee1",
        order="d35e472036bc4fb7e13c785ed201e065f98fcfa5b68f12a32d482ec7ee8658e98691555b44c59311",
    ),
    _curve(
        "brainpoolP384r1",
        source="RFC 5639",
        aliases=("bp384",),
        a=(
            "7bc382c63d8c150c3c72080ace05afa0c2bea28e4fb22787"
            "139165efba91f90f8aa5814a503ad4eb04a8c7dd22ce2826"
        ),
        b=(
            "4a8c7dd22ce28268b39b55416f0447c2fb77de107dcd2a6"
            "2e880ea53eeb62d57cb4390295dbc9943ab78696fa504c11"
        ),
        x=(
            "1d1c64f068cf45ffa2a63a81b7c13f6b8847a3e77ef14fe3"
            "db7fcafe0cbd10e8e826e03436d646aaef87b2e247d4af1e"
        ),
        y=(
            "8abe1d7520f9c2a45cb1eb8e95cfd55262b70b29feec5864"
            "e19c054ff99129280e4646217791811142820341263c5315"
        ),
        order=(
            "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b3"
            "1f166e6cac0425a7cf3ab6af6b7fc3103b883202e9046565"
        ),
    ),
    _curve(
        "brainpoolP512r1",
        source="RFC 5639",
        aliases=("bp512",),
        a=(
            "7830a3318b603b89e2327145ac234cc594cbdd8d3df91610a83441caea9863bc"
            "2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1ac4d77fc94ca"
        ),
        b=(
            "3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a7"
            "2bf2c7b9e7c1ac4d77fc94cadc083e67984050b75ebae5dd2809bd638016f723"
        ),
        x=(
            "81aee4bdd82ed9645a21322e9c4c6a9385ed9f70b5d916c1b43b62eef4d0098e"
            "ff3b1f78e2d0d48d50d1687b93b97d5f7c6d5047406a5e688b352209bcb9f822"
        ),
        y=(
            "7dde385d566332ecc0eabfa9cf7822fdf209f70024a57b1aa000c55b881f8111"
            "b2dcde494a5f485e5bca4bd88a2763aed1ca2b2fa8f0540678cd1e0f3ad80892"
        ),
        order=(
            "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330870"
            "553e5c414ca92619418661197fac10471db1d381085ddaddb58796829ca90069"
        ),
    ),
    NamedCurve(
        MontgomeryCurve(
            name="Curve25519",
            prime=find_modulus("Curve25519").value,
            a=486662,
            b=1,
            x=9,
            y=0x20AE19A1B8A086B4E01EDD2C7748D14C923D4D7E6D7C61B229E9C5A27ECED3D9,
            order=2**252 + 0x14DEF9DEA2F79CD65812631A5CF5D3ED,
            cofactor=8,
        ),
        "RFC 7748",
        ("X25519", "25519"),
    ),
    NamedCurve(
        MontgomeryCurve(
            name="Curve448",
            prime=find_modulus("Curve448").value,
            a=156326,
            b=1,
            x=5,
            y=_number(
                "7d235d1295f5b1f66c98ab6e58326fcecbae5d34f55545d060f75dc2"
                "8df3f6edb8027e2346430d211312c4b150677af76fd7223d457b5b1a"
            ),
            order=2**446 - 0x8335DC163BB124B65129C96FDE933D8D723A70AADC873D6D54A7BB0D,
            cofactor=4,
        ),
        "RFC 7748",
        ("X448", "448"),
    ),
)
"""Every curve that has a name here."""

-- The languages of people are a closed list: `sql`, `php` or `xml` in a document's front matter say nothing about it.

-- Which dictionary stems a text; `headwater.domain.languages.stemming_language` says the same. The list at the end are the
-- languages without a dictionary.
CREATE OR REPLACE FUNCTION stemming_language(tag text, fallback text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN tag = '' OR fallback = 'simple' THEN fallback ELSE coalesce(
        '{"ar": "arabic", "ara": "arabic", "arabic": "arabic", "arb": "arabic", "arm": "armenian",
          "armenian": "armenian", "baq": "basque", "basque": "basque", "ca": "catalan", "cat": "catalan",
          "catalan": "catalan", "da": "danish", "dan": "danish", "danish": "danish", "de": "german", "deu": "german",
          "dut": "dutch", "dutch": "dutch", "el": "greek", "ell": "greek", "en": "english", "eng": "english",
          "english": "english", "es": "spanish", "eu": "basque", "eus": "basque", "fi": "finnish", "fin": "finnish",
          "finnish": "finnish", "fr": "french", "fra": "french", "fre": "french", "french": "french", "ga": "irish",
          "ger": "german", "german": "german", "gle": "irish", "gre": "greek", "greek": "greek", "hi": "hindi",
          "hin": "hindi", "hindi": "hindi", "hu": "hungarian", "hun": "hungarian", "hungarian": "hungarian",
          "hy": "armenian", "hye": "armenian", "id": "indonesian", "in": "indonesian", "ind": "indonesian",
          "indonesian": "indonesian", "irish": "irish", "it": "italian", "ita": "italian", "italian": "italian",
          "ji": "yiddish", "lit": "lithuanian", "lithuanian": "lithuanian", "lt": "lithuanian", "nb": "norwegian",
          "ne": "nepali", "nep": "nepali", "nepali": "nepali", "nl": "dutch", "nld": "dutch", "nn": "norwegian",
          "nno": "norwegian", "no": "norwegian", "nob": "norwegian", "nor": "norwegian", "norwegian": "norwegian",
          "por": "portuguese", "portuguese": "portuguese", "pt": "portuguese", "ro": "romanian",
          "romanian": "romanian", "ron": "romanian", "ru": "russian", "rum": "romanian", "rus": "russian",
          "russian": "russian", "serbian": "serbian", "spa": "spanish", "spanish": "spanish", "sr": "serbian",
          "srp": "serbian", "sv": "swedish", "swe": "swedish", "swedish": "swedish", "ta": "tamil", "tam": "tamil",
          "tamil": "tamil", "tr": "turkish", "tur": "turkish", "turkish": "turkish", "yi": "yiddish",
          "yid": "yiddish", "yiddish": "yiddish"}'::jsonb
            ->> split_part(replace(lower(btrim(tag)), '_', '-'), '-', 1),
        CASE WHEN split_part(replace(lower(btrim(tag)), '_', '-'), '-', 1) = ANY (
          '{aa, aar, ab, abk, ace, ae, af, afr, ak, aka, alb, am, amh, an, ang, arg, ary, arz, as, ast, av, ava, ave,
           awa, ay, aym, az, aze, ba, bak, bam, bar, be, bel, ben, bg, bho, bi, bis, bm, bn, bo, bod, bos, br, bre,
           bs, bul, bur, ce, ceb, ces, ch, cha, che, chi, chr, chu, chv, ckb, cmn, co, cor, cos, cr, cre, crh, cs,
           csb, cu, cv, cy, cym, cze, div, dsb, dv, dz, dzo, ee, enm, eo, epo, est, et, ewe, fa, fao, fas, ff, fij,
           fil, fj, fo, frr, fry, ful, fur, fy, gan, gd, geo, gez, gl, gla, glg, glv, gn, got, grc, grn, gsw, gu,
           guj, gv, ha, hak, hat, hau, haw, he, heb, her, hil, hmo, ho, hr, hrv, hsb, ht, hz, ia, ibo, ice, ido, ie,
           ig, ii, iii, ik, iku, ile, ilo, ina, inh, io, ipk, is, isl, iu, iw, ja, jav, jpn, jv, ka, kaa, kab, kal,
           kan, kas, kat, kau, kaz, kbd, kg, khm, ki, kik, kin, kir, kj, kk, kl, km, kn, ko, kok, kom, kon, kor, kr,
           krc, krl, ks, ku, kua, kur, kv, kw, ky, la, lad, lao, lat, lav, lb, lez, lg, li, lij, lim, lin, lmo, ln,
           lo, ltg, ltz, lu, lub, lug, lv, mac, mad, mag, mah, mai, mal, mao, mar, may, mdf, mg, mh, mhr, mi, min,
           mk, mkd, ml, mlg, mlt, mn, mni, mon, mr, mri, ms, msa, mt, mwl, my, mya, myv, na, nan, nap, nau, nav, nbl,
           nd, nde, ndo, nds, ng, nqo, nr, nso, nv, ny, nya, oc, oci, oj, oji, om, or, ori, orm, os, oss, pa, pag,
           pam, pan, pap, pcd, per, pes, pi, pl, pli, pnb, pol, ps, pus, qu, que, rm, rn, roh, rue, run, rw, sa, sag,
           sah, san, sat, sc, scn, sco, sd, se, sg, si, sin, sk, sl, slk, slo, slv, sm, sma, sme, smj, smn, smo, sms,
           sn, sna, snd, so, som, sot, sq, sqi, srd, srn, ss, ssw, st, stq, su, sun, sw, swa, szl, tah, tat, te, tel,
           tet, tg, tgk, tgl, th, tha, ti, tib, tir, tk, tl, tn, to, ton, tpi, ts, tsn, tso, tt, tuk, tum, tw, twi,
           ty, tyv, udm, ug, uig, uk, ukr, ur, urd, uz, uzb, ve, vec, ven, vep, vi, vie, vls, vo, vol, vro, wa, war,
           wel, wln, wo, wol, wuu, xal, xh, xho, yo, yor, yue, za, zea, zh, zha, zho, zu, zul, zza}'::text[])
             THEN 'simple' ELSE fallback END) END
$$;

-- A refresh takes as long as the change: whether every entry has weights is known, and terms go with their last entry.
ALTER TABLE search_statistics ADD COLUMN is_complete boolean NOT NULL DEFAULT false;
DELETE FROM search_terms WHERE entry_count = 0;

-- How many documents an index served when its recall was measured: what went since then is a change, too.
ALTER TABLE search_indexes ADD COLUMN measured_documents bigint;

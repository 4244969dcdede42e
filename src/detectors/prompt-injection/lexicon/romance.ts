import type { Lexicon } from './slots.ts'

export const french: Lexicon = {
  language: 'fr',
  words: {
    mark: 'oublie oubliez ignorez consignes règles toutes le la les des et est ne pas tu une un du de tes vos que pour dans à mot ce cette ton',
    obey: 'obéi* suis respecte',
    dismiss:
      'ignor* oubli* ne_tiens_pas_compte ne_tenez_pas_compte ne_tenez_plus_compte ne_tiens_plus_compte néglig* désobéi* mets_de_côté mettez_de_côté laisse_de_côté laissez_de_côté fais_abstraction faites_abstraction abandonn* ne_suis_pas ne_suivez_pas ne_suis_plus ne_suivez_plus ne_respecte_plus ne_respectez_plus ne_respecte_pas outrepass* contourn* annule écart* passe_outre',
    earlier:
      'précéden* antérieur* ci_dessus toutes_tes toutes_vos tes vos initial* originel* origine existant* reçues plus_haut jusqu_ici jusquici préalable* toutes tous',
    orders: 'instruction* consigne* directive* ordres prompt* message_système commandes',
    asked:
      'l_utilisateur_t_a l_utilisateur_a_demandé l_utilisateur_demande lutilisateur_demande l_utilisateur_veut l_utilisateur_souhaite lutilisateur_veut',
    onward: 'désormais dorénavant à_partir_de_maintenant à_partir_d_ici',
    hoard: 'historique conversation données_client* variables_d_environnement',
    bounds: 'règle règles restriction* contrainte* limite* filtres garde_fous configuration',
    task: 'mission tâche objectif but rôle',
    void: 'ne_sappliquent_plus ne_s_appliquent_plus s_appliquent_plus ne_sont_plus_valables annulées annulés annulée caduques révoqu* remplacé* changé modifié* nulles abrogé* n_ont_plus_cours suspendu*',
    renewed: 'nouvelle* nouveau nouveaux vraie* véritable*',
    self: 'tu te toi ton ta tes t vous votre vos',
    machine:
      'ia ai assistant*_ia agent*_ia modèle*_de_langage modèle*_de_langue intelligence_artificielle chatbot* système*_dia llm llms chatgpt système*_d_ia',
    helper:
      'assistant assistants agent agents modèle modèles bot bots automatique automatiques vérificateurs système systèmes',
    call: 'note_à note_aux message_aux message_pour message_au avis_aux attention à_tous à_toutes à_l_attention au_modèle aux cher chère chers si_tu_es si_vous_êtes en_tant_qu_ia en_tant_que_modèle en_tant_quia pour_les pour_tous au bonjour',
    reading: 'lit lis lire lisent lisant lisez traite* traitant résum* analys* index* parcour* évalu*',
    page: 'cette_page ce_document ce_texte cet_article ce_message ce_fichier ceci cette_demande ces_lignes',
    duty: 'dois doit doivent devez devrait toujours jamais ne veuillez faut obligatoirement',
    say: 'dis dites dire répond* réponds répondez écri* affich* déclar* affirm* indique* mentionn* prétend* donne',
    reveal:
      'montre* affich* révèl* révél* donne* répèt* répét* tradui* énumèr* énumér* écris écrivez résum* quelles_sont quel_est quels_sont cite* recopi* liste* imprim* dévoil* divulgu* communique*',
    hidden: 'secrèt* secret secrets caché* interne* initial* système confidentiel*',
    given:
      'tu_as_reçues que_tu_as_reçu as_reçues avez_reçues t_ont_été vous_ont_été t_a_données t_a_donné ta_données avant_cette_conversation au_dessus_de_ce selon_lesquelles_tu ton_développeur',
    prompt: 'prompt_système prompt_du_système message_système instructions_système tes_instructions',
    verbatim: 'mot_pour_mot mot_à_mot intégral* bloc_de_code exactement tout_le_texte en_entier textuellement complet',
    send: 'envoi* envoy* transfér* transmet* publie* poste* ajoute* intègre*',
    goods:
      'mot_de_passe mots_de_passe identifiants secrets clé*_api clés jetons historique conversation données_client* confidentiel* variables_d_environnement',
    all: 'tout toute tous toutes chaque intégral*',
    harm: 'supprim* transfér* vire* approuv* validez valide exécut* lance* désactiv* accorde* annule* couper',
    tool: 'outil outils fonction script pare_feu compte administrateur droits terminal',
    unasked: 'sans_demander',
    quiet:
      'ne_mentionnez_pas ne_mentionne_pas sans_consulter_l sans_en_parler sans_le_dire sans_prévenir sans_informer à_personne n_en_parlez ne_dis_rien ne_dites_rien discrètement secrètement en_secret sans_avertir sans_que_l taire ne_le_mentionne ne_la_mentionne ne_le_dis ne_le_dites',
    praise: 'recommand* classez meilleur* en_premier éloge lou* vant* vanter privilégi* favoris* note_maximale haute',
    omit: 'omet* omettre tai* taire cach* aucune_panne défauts critiques passe*_sous_silence dissimul*',
    play: 'fais_semblant faites_semblant joue_le_rôle tu_es_maintenant tu_es_désormais imagine* désormais à_partir_de_maintenant comporte_toi agis_comme',
    free: 'sans_restriction* sans_limite* sans_règles sans_filtre* sans_censure aucune_restriction* aucune_limite* non_censuré* sans_aucune_restriction',
  },
}

export const spanish: Lexicon = {
  language: 'es',
  words: {
    mark: 'olvida instrucciones reglas anteriores se y lo no_se a_nadie al el los las una que tu tus por del de la lo este esta palabra al ya para todas',
    obey: 'obedec*',
    dismiss:
      'ignor* olvida olvide olviden olvídate haz_caso_omiso haga_caso_omiso haced_caso_omiso descart* desobede* deja_de_lado deje_de_lado dejad_de_lado no_sigas no_siga no_sigáis ya_no_obedezcas no_obedezcas no_cumplas abandon* desatiend* omite_las anula prescind* pasa_por_alto desech*',
    earlier:
      'anterior* previa* previo* arriba tus sus inicial* original* hasta_ahora recibid* existentes todas todos has_recibido precedent*',
    orders:
      'instruccion* órdenes directriz directrices indicación indicaciones prompt* orientaciones mensaje_de_sistema mandatos',
    asked: 'pidió_el_usuario el_usuario_pidió el_usuario_quiere el_usuario_pide que_pidió el_usuario_solicitó',
    onward: 'desde_ahora a_partir_de_ahora de_ahora_en_adelante en_adelante',
    hoard: 'historial conversación datos_de_cliente* variables_de_entorno',
    bounds: 'regla reglas restriccion* límites filtros normas limitaciones configuración',
    task: 'tarea misión objetivo encargo papel',
    void: 'ya_no_se_aplican ya_no_aplican ya_no_valen ya_no_son_válidas anulad* revocad* sin_efecto canceladas reemplazad* sustituid* ha_cambiado cambiado modificad* obsolet* derogad*',
    renewed: 'nueva nuevas nuevo nuevos verdader* real',
    self: 'tú tu tus te ti usted su sus eres',
    machine:
      'ia ai asistente*_de_ia asistente*_ia agente*_de_ia agente*_ia modelo*_de_lenguaje inteligencia_artificial chatbot* sistema*_de_ia llm llms chatgpt',
    helper:
      'asistente asistentes agente agentes modelo modelos bot bots automático* automáticos revisores sistema sistemas',
    call: 'nota_para nota_a mensaje_para mensaje_a aviso_para aviso_a atención a_todos a_los al para_todos para_los querido querida estimado si_eres si_usted_es como_ia como_modelo hola',
    reading: 'lee leen lea lean leer leyendo procesa* procese* resum* analiz* index* evalú* evalu*',
    page: 'esta_página este_documento este_texto este_artículo este_mensaje este_archivo esto esta_solicitud',
    duty: 'debe debes deben deberá debería siempre nunca jamás no_debes por_favor tienes_que tiene_que hay_que',
    say: 'di diga decid decir responde* responda* contest* escrib* muestr* afirm* declar* indica* menciona* imprime',
    reveal:
      'muestr* enseña* enséñ* revel* revél* dime di repit* repet* traduc* traduz* enumer* escrib* resum* cuáles_son cuál_es cita* imprim* lista* copia* divulg*',
    hidden: 'secret* ocult* intern* inicial* sistema confidencial* original*',
    given:
      'que_recibiste que_has_recibido recibiste te_dio te_dieron te_han_dado antes_de_esta encima_de_este según_las_que tu_desarrollador',
    prompt:
      'prompt_del_sistema prompt_de_sistema mensaje_de_sistema mensaje_del_sistema instrucciones_del_sistema tus_instrucciones',
    verbatim:
      'palabra_por_palabra íntegr* literalmente textualmente bloque_de_código todo_el_texto completo exactamente',
    send: 'enví* envia* reenví* reenvi* manda* sube* transmit* publica* añad* incluye* adjunt*',
    goods:
      'contraseña* credencial* secretos clave*_api claves tokens historial conversación datos_de_cliente* confidencial* variables_de_entorno',
    all: 'todo toda todos todas cada íntegr*',
    harm: 'elimin* borr* transfier* transferir aprob* aprueb* ejecut* desactiv* apagar apaga concede* cancel* otorga*',
    tool: 'herramienta* función script cortafuegos cuenta administrador permisos terminal',
    unasked: 'sin_preguntar sin_confirmación',
    act: 'llama* invoca* abre*',
    quiet:
      'no_mencion* sin_consultar sin_decírselo sin_decir sin_avisar sin_informar a_nadie no_digas_nada no_se_lo_dig* en_secreto secretamente discretamente sin_que_el no_lo_mencion* no_se_lo_cuent*',
    praise: 'recomiend* recomend* clasific* mejor elogi* alab* favorec* mejor_nota prefier*',
    omit: 'omit* ocult* ninguna_caída defectos críticas call* niega nieg*',
    play: 'finge finja haz_como_si actúa_como actúe_como eres_ahora ahora_eres imagina* desde_ahora a_partir_de_ahora compórtate simula',
    free: 'sin_restriccion* sin_límites sin_reglas sin_filtro* sin_censura ninguna_restricción sin_ninguna_restricción no_tienes_límites',
  },
}

export const italian: Lexicon = {
  language: 'it',
  words: {
    mark: 'dimentica istruzioni regole precedenti il gli di che una per del della non tue la le alla parola tuo tua questo questa con senza sul sei nel lo dal',
    obey: 'obbed*',
    dismiss:
      'ignor* dimentic* trascur* non_seguire non_seguite tralasc* metti_da_parte mettete_da_parte lascia_da_parte lasciate_perdere lascia_perdere non_rispettare_più non_rispettare non_obbedire abbandon* disobbed* scarta* annulla aggira non_tenere_conto',
    earlier:
      'precedent* anterior* sopra tue tuoi inizial* original* finora ricevut* esistenti tutte tutti hai_ricevuto',
    orders: 'istruzion* direttiv* ordini indicazion* comandi prompt* consegne messaggio_di_sistema linee_guida',
    asked:
      'ha_chiesto_l l_utente_ha_chiesto lutente_ha_chiesto l_utente_vuole lutente_vuole l_utente_chiede ha_chiesto_lutente',
    onward: 'd_ora_in_poi dora_in_poi da_adesso_in_poi da_ora_in_poi',
    hoard: 'cronologia conversazione dati_dei_client* variabili_d_ambiente',
    bounds: 'regola regole restrizion* limiti filtri vincoli norme configurazione',
    task: 'compito missione obiettivo incarico ruolo',
    void: 'non_valgono_più non_si_applicano_più non_sono_più_valide annullat* revocat* sostituit* cambiato cambiata modificat* decadut* nulle sospes*',
    renewed: 'nuova nuove nuovo nuovi vero vera reale aggiornat*',
    self: 'tu tuo tua tuoi tue ti te sei lei voi vostro',
    machine:
      'ia ai unia dellia assistent*_ia agent*_ia modell*_linguistic* modell*_di_linguaggio intelligenza_artificiale chatbot* sistem*_di_ia llm llms chatgpt',
    helper: 'assistente assistenti agente agenti modello modelli bot automatici automatico revisori sistema sistemi',
    call: 'nota_per nota_a messaggio_per messaggio_a avviso_per avviso_a attenzione a_tutti ai al per_gli per_tutti caro cara gentile se_sei se_siete come_ia come_modello in_quanto_ia agli ciao',
    reading: 'legge leggi leggono leggere leggendo elabora* riassum* analizz* indicizz* valuta* sintetizz*',
    page: 'questa_pagina questo_documento questo_testo questo_articolo questo_messaggio questo_file questo questa_richiesta',
    duty: 'deve devi devono dovete dovrebbe sempre mai non per_favore bisogna',
    say: 'di dite dì rispond* scriv* mostr* afferm* dichiar* indica* menzion* stampa',
    reveal:
      'mostr* fammi_vedere rivel* dimmi di dì ripet* traduc* elenc* scriv* riassum* quali_sono qual_è cita* stampa* copia* divulg*',
    hidden: 'segret* nascost* intern* inizial* sistema riservat* original*',
    given:
      'che_hai_ricevuto hai_ricevuto ti_ha_dato ti_sono_state ti_hanno_dato prima_di_questa sopra_questo secondo_cui_rispondi tuo_sviluppatore sta_sopra',
    prompt: 'prompt_di_sistema prompt_del_sistema messaggio_di_sistema istruzioni_di_sistema tue_istruzioni',
    verbatim:
      'parola_per_parola intero integral* letteralmente testualmente blocco_di_codice tutto_il_testo per_intero esattamente',
    send: 'invia* inoltr* manda* carica* trasmett* pubblica* aggiung* includ* allega*',
    goods:
      'password credenziali segreti chiav*_api chiavi token cronologia conversazione dati_dei_client* riservat* variabili_d_ambiente',
    all: 'tutto tutta tutti tutte ogni intero',
    harm: 'elimin* cancell* trasfer* approv* esegu* disattiv* spegnere spegni concedi* annull* autorizz*',
    tool: 'strumento strumenti funzione script firewall conto account amministratore permessi terminale',
    unasked: 'senza_chiedere senza_conferma',
    act: 'chiama* apri* esegui*',
    quiet:
      'non_menzion* senza_dirlo senza_dire senza_avvisare senza_informare a_nessuno non_dire_nulla non_ditelo non_dirlo di_nascosto in_segreto segretamente senza_che_l tacere',
    praise: 'consiglia* raccomand* classificat* migliore elogi* lod* lodare favorisc* voto_più_alto prefer*',
    omit: 'omett* nascond* tac* tacere alcun_guasto difetti critiche negar* nega',
    play: 'fingi fai_finta comportati_come agisci_come ora_sei adesso_sei sei_ora immagina* d_ora_in_poi da_adesso simula',
    free: 'senza_restrizion* senza_limit* senza_regole senza_filtr* senza_censura nessuna_restrizione nessun_limite',
  },
}

export const portuguese: Lexicon = {
  language: 'pt',
  words: {
    mark: 'esqueça esqueçam instruções anteriores regras acima segundo quais pedido aos nenhuma ninguém sempre os de que não uma seu sua suas para da ao palavra esta este lhe todas por na com sem você pelo pela insira envie',
    obey: 'obedeç*',
    dismiss:
      'ignor* esqueça esqueçam esquece desconsider* descart* deixe_de_lado deixem_de_lado deixa_de_lado não_siga não_sigas não_obedeça não_obedeças não_cumpra abandon* desobedeç* desprez* anule contorne',
    earlier:
      'anterior* prévi* acima suas tuas seus iniciais original* originais até_aqui recebid* recebeu existentes todas todos precedentes',
    orders: 'instruç* ordens diretriz diretrizes orientaç* comandos prompt* mensagem_de_sistema indicações',
    asked: 'o_usuário_pediu o_utilizador_pediu o_usuário_quer o_usuário_solicitou o_usuário_pede',
    onward: 'a_partir_de_agora de_agora_em_diante doravante daqui_em_diante',
    hoard: 'histórico conversa dados_de_cliente* variáveis_de_ambiente dados_dos_clientes dados_do_cliente',
    bounds: 'regra regras restriç* limites filtros normas limitações configuração',
    task: 'tarefa missão objetivo papel função',
    void: 'já_não_valem não_valem_mais não_se_aplicam já_não_se_aplicam anulad* revogad* cancelad* substituíd* mudou alterad* sem_efeito inválid* não_são_mais_válidas suspens*',
    renewed: 'nova novas novo novos verdadeir* real atualizad*',
    self: 'tu você vocês te ti teu tua teus tuas seu sua seus suas lhe lhes é',
    machine:
      'ia ai assistente*_de_ia assistente*_ia agente*_de_ia agente*_ia modelo*_de_linguagem inteligência_artificial chatbot* sistema*_de_ia llm llms chatgpt',
    helper: 'assistente assistentes agente agentes modelo modelos bot bots automátic* revisores sistema sistemas',
    call: 'nota_para nota_aos mensagem_para mensagem_aos aviso_para aviso_aos atenção a_todos aos ao para_todos para_os caro cara prezado se_você_é se_és se_for como_ia como_modelo olá',
    reading: 'lê leem lêem ler lendo leia processa* resum* analis* index* avali*',
    page: 'esta_página este_documento este_texto este_artigo esta_mensagem este_arquivo este_ficheiro isto isso este_pedido',
    duty: 'deve deves devem deverá deveria sempre nunca jamais por_favor tem_de precisa',
    say: 'diga digam dizer respond* escrev* mostr* afirm* declar* indiqu* mencion* imprima',
    reveal:
      'mostr* revel* diga diz repit* repet* traduz* list* escrev* resum* quais_são qual_é cit* imprim* copi* divulg* enumer*',
    hidden: 'secret* ocult* intern* iniciais inicial sistema confidencia* original*',
    given:
      'que_recebeu recebeu lhe_deu lhe_foram te_deu te_foram antes_desta acima_desta segundo_as_quais seu_desenvolvedor',
    prompt:
      'prompt_do_sistema prompt_de_sistema mensagem_de_sistema mensagem_do_sistema instruções_do_sistema suas_instruções',
    verbatim: 'palavra_por_palavra íntegr* literalmente textualmente bloco_de_código todo_o_texto completo exatamente',
    send: 'envi* encaminh* mand* carregu* transmit* publiqu* adicion* inclu* anex*',
    goods:
      'senha senhas palavra*_passe credenciais segredos chave*_api chaves tokens histórico conversa dados_de_cliente* confidencia* variáveis_de_ambiente dados_dos_clientes dados_do_cliente',
    all: 'todo toda todos todas cada íntegr*',
    harm: 'elimin* apagu* apag* exclu* transfir* transfer* aprov* execut* desativ* desligar deslig* conced* cancel*',
    tool: 'ferramenta* função script firewall conta administrador permissões terminal',
    unasked: 'sem_perguntar sem_confirmação',
    act: 'chame* abra*',
    quiet:
      'não_mencion* sem_consultar sem_contar sem_dizer sem_avisar sem_informar a_ninguém não_contem não_conte não_diga_nada em_segredo secretamente às_escondidas sem_que_o',
    praise: 'recomend* classifi* melhor elogi* louv* favoreç* nota_mais_alta prefir*',
    omit: 'omit* ocult* nenhuma_falha defeitos críticas negu*',
    play: 'finja faça_de_conta aja_como atue_como agora_você_é você_agora_é imagin* de_agora_em_diante a_partir_de_agora comporte_se simule',
    free: 'sem_restriç* sem_limit* sem_regras sem_filtr* sem_censura nenhuma_restrição sem_nenhuma_restrição',
  },
}

export const romanian: Lexicon = {
  language: 'ro',
  words: {
    dismiss: 'ignoră ignorați ignora uită uitați nu_ține_cont nu_țineți_cont nu_urma nu_urmați',
    earlier: 'anterioar* precedent* de_mai_sus toate inițial*',
    orders: 'instrucțiun* indicați* comenzi* prompt*',
    bounds: 'reguli regulile restricți*',
    say: 'spune spuneți răspunde răspundeți scrie scrieți',
    harm: 'aprobă aprobați fii_de_acord fiți_de_acord șterge ștergeți',
    send: 'trimite trimiteți',
    praise: 'laudă lăudați recomandă recomandați',
    act: 'ia_o_de_la_capăt începe începeți',
  },
}

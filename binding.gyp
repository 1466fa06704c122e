{
  'targets': [
    {
      'target_name': 'skillspan',
      # One list for this build and for CMakeLists.txt.
      'sources': [
        '<!@(node -p "const s = require(\'./native/sources.json\'); s.core.concat(s.binding).join(\' \')")'
      ],
      'include_dirs': ['<!(node -p "require(\'node-addon-api\').include_dir")'],
      'defines': ['NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS', 'NAPI_CPP_EXCEPTIONS'],
      'cflags!': ['-fno-exceptions'],
      'cflags_cc!': ['-fno-exceptions', '-std=gnu++17', '-std=gnu++20'],
      # Fused multiply-adds are written out where they are wanted; elsewhere they would make results
      # differ between machines.
      'cflags_cc': ['-std=c++17', '-Wall', '-Wextra', '-ffp-contract=off', '-fvisibility=hidden'],
      'conditions': [
        ['OS=="mac"', {
          'xcode_settings': {
            'GCC_ENABLE_CPP_EXCEPTIONS': 'YES',
            'CLANG_CXX_LANGUAGE_STANDARD': 'c++17',
            'MACOSX_DEPLOYMENT_TARGET': '11.0',
            'OTHER_CPLUSPLUSFLAGS': ['-ffp-contract=off', '-fvisibility=hidden']
          }
        }],
        ['OS=="win"', {
          # Node's own settings turn the library's exceptions off.
          'defines!': ['_HAS_EXCEPTIONS=0'],
          'defines': ['_HAS_EXCEPTIONS=1'],
          'msvs_settings': {
            'VCCLCompilerTool': { 'ExceptionHandling': 1, 'AdditionalOptions': ['/std:c++17'] }
          }
        }]
      ]
    }
  ]
}
